import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Json } from './read-rows.ts';

/** The shapes of the product that this bench uses; it calls the built functions and imports no source. */
export interface Finding {
  readonly id: string;
  readonly tier: 'block' | 'review';
  readonly evidence: string;
}

export interface Scan {
  readonly findings: readonly Finding[];
  readonly score: number;
}

export interface Verdict {
  readonly kind: string;
  readonly reason?: string;
}

export interface ToolFace {
  readonly server: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly string[];
}

export interface DefinitionContext {
  readonly kind: 'tools';
  readonly server: string;
  readonly tools: readonly ToolFace[];
}

export type ScanDefinition = (definition: Json, context: DefinitionContext) => Scan;
export type ScanChange = (before: Json, after: Json, context: DefinitionContext) => Scan;
export type ScanText = (text: string) => Scan;
export type FindShadow = (candidate: Candidate, peers: readonly Candidate[]) => readonly unknown[];

/** A face with its whole definition beside it. */
export interface Candidate extends ToolFace {
  readonly definition: Json;
}

const BUILT = join(dirname(fileURLToPath(import.meta.url)), '../../../packages/sallyport/dist');

/** One export of the built product. @throws Error when it has none of that name */
export async function load<T>(file: string, name: string): Promise<T> {
  const found = await find<T>(file, name);
  if (found === undefined) throw new Error(`packages/sallyport/dist/${file} has no ${name}`);
  return found;
}

/** The same, or `undefined`. */
export async function find<T>(file: string, name: string): Promise<T | undefined> {
  const path = join(BUILT, file);
  if (!existsSync(path)) return undefined;
  const module = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  // The shape is the product's own promise; a wrong one fails at the first row.
  return module[name] as T | undefined;
}

export function isBlocked({ findings }: Scan): boolean {
  return findings.some(({ tier }) => tier === 'block');
}

/** The product says nothing of what is below its own threshold. */
export function isFlagged({ findings }: Scan): boolean {
  return findings.length > 0;
}

/** What a person sees with `--show`. */
export function describeScan({ findings, score }: Scan): string {
  const names = findings.map(({ id, tier, evidence }) => `${id}(${tier}) ${JSON.stringify(evidence.slice(0, 80))}`);
  return `score ${score.toFixed(2)} ${names.join('; ')}`;
}
