import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from '../load/connection.ts';
import { type Child, startNode } from '../process/child.ts';
import { HTTP_UPSTREAM } from '../programs/programs.ts';
import { launchSallyport, SALLYPORT } from '../programs/sallyport.ts';

export type AuditMode = 'strict' | 'batched';
export const AUDIT_MODES: readonly AuditMode[] = ['strict', 'batched'];

/** An upstream that writes the text of each call into a file before it answers. */
export interface Witness {
  readonly url: string;
  /** The texts of all calls it executed. */
  executed(): string[];
  stop(): Promise<void>;
}

export async function startWitness(folder: string): Promise<Witness> {
  const file = join(folder, 'executed');
  const child = startNode({ args: [HTTP_UPSTREAM], env: { BENCH_EXECUTED: file } });
  const { port } = JSON.parse(await child.stdoutLine) as { port: number };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    executed: () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []),
    stop: () => child.stop(),
  };
}

export interface AuditedGateway {
  readonly child: Child;
  readonly target: Target;
  readonly stateDir: string;
  readonly auditDir: string;
}

/** A configuration of only `mcpServers`, and the mode of the audit. */
export async function startAudited(
  folder: string,
  { mode, url, auditDir }: { readonly mode: AuditMode; readonly url: string; readonly auditDir?: string },
): Promise<AuditedGateway> {
  const options = { via: 'http', upstreamUrl: url, directory: folder, nodeFlags: [] } as const;
  const sections = { audit: { mode, ...(auditDir === undefined ? {} : { directory: auditDir }) } };
  const { child, target } = await launchSallyport({ echo: { url } }, options, { sections });
  if (child === undefined) throw new Error('Sallyport is a process of its own');
  const stateDir = join(folder, 'state');
  return { child, target: await target, stateDir, auditDir: auditDir ?? join(stateDir, 'audit') };
}

/** What is wrong with the chains, as `sallyport audit verify` says; `undefined`: nothing. */
export function findDamage({ stateDir }: Pick<AuditedGateway, 'stateDir'>, auditDir?: string): string | undefined {
  const env = { ...process.env, SALLYPORT_STATE: stateDir };
  const words = ['audit', 'verify', '--json', ...(auditDir === undefined ? [] : ['--directory', auditDir])];
  try {
    execFileSync(process.execPath, [SALLYPORT, ...words], { env, encoding: 'utf8', stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return (error as { readonly stdout?: string }).stdout ?? String(error);
  }
}

/** The texts of calls that no `admitted` record knows, by the digest of their arguments (docs/audit.md). */
export function findUnrecorded({ stateDir, auditDir }: AuditedGateway, texts: readonly string[]): string[] {
  const key = Buffer.from(readFileSync(join(stateDir, 'audit-digest-key'), 'utf8').trim(), 'hex');
  const admitted = new Set<unknown>();
  for (const chain of readdirSync(auditDir)) {
    for (const name of readdirSync(join(auditDir, chain)).filter((one) => one.endsWith('.jsonl'))) {
      // The end of a file may be half a record.
      const lines = readFileSync(join(auditDir, chain, name), 'utf8')
        .split('\n')
        .slice(0, -1);
      for (const line of lines) {
        const record = JSON.parse(line) as { readonly kind?: string; readonly arguments?: string };
        if (record.kind === 'admitted') admitted.add(record.arguments);
      }
    }
  }
  return texts.filter((text) => !admitted.has(toDigest(key, JSON.stringify({ text }))));
}

function toDigest(key: Buffer, text: string): string {
  const head = Buffer.alloc(72);
  key.copy(head);
  head.writeBigUInt64BE(BigInt(Buffer.byteLength(text)), 64);
  return createHash('sha256').update(head).update(text).digest('base64url');
}
