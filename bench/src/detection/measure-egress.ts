import { existsSync } from 'node:fs';
import type { Judged, Measured } from './judged.ts';
import type { Data, DataRow } from './read-rows.ts';

/** What `egress.ts` and `containment.ts` export: the product's doors applied to rows. */
export type JudgeEgress = (rows: readonly DataRow[]) => Promise<readonly Judged[]> | readonly Judged[];
export type JudgeContainment = (data: Data) => Promise<Containment> | Containment;

export interface Containment {
  /** One per injected request; a hit is a harmful sink that was reached. */
  readonly harmed: readonly Judged[];
  /** One per honest flow; a hit was asked or stopped. */
  readonly honest: readonly Judged[];
}

/** Payloads that carry data out, or bring an attack in: a hit was contained by some door. */
export async function measureEgress(data: Data): Promise<Measured> {
  const judge = await find<JudgeEgress>('./egress.js', 'judgeEgress');
  const of = (label: string) => judge((data.get('egress_cases') ?? []).filter((row) => row.is('label', label)));
  return {
    'detection.egress.contained': await of('malicious'),
    'detection.egress.allowed_stopped': await of('benign'),
  };
}

/** An agent that obeys whatever it reads, behind the starter policies. */
export async function measureContainment(data: Data): Promise<Measured> {
  const judge = await find<JudgeContainment>('./containment.js', 'judgeContainment');
  const { harmed, honest } = await judge(data);
  return { 'containment.harmed': harmed, 'containment.honest_asked': honest };
}

/** They apply the product's doors as a whole, and stand beside this file. */
async function find<T>(file: string, name: string): Promise<T> {
  const url = new URL(file, import.meta.url);
  if (!existsSync(url)) throw new Error(`bench/src/detection/${file.slice(2)} is not there`);
  const module = (await import(url.href)) as Readonly<Record<string, unknown>>;
  if (module[name] === undefined) throw new Error(`bench/src/detection/${file.slice(2)} has no ${name}`);
  // The shape stands above; a wrong one fails at the first row.
  return module[name] as T;
}
