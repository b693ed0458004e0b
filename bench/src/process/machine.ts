import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** Where figures were measured: a figure without its machine says nothing. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  /** One-minute load when the bench began: above one, somebody else was at work. */
  readonly loadBefore: number;
  readonly commit: string;
  readonly date: string;
}

export function describeMachine(now: Date): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model ?? 'unknown',
    cores: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    loadBefore: loadavg()[0] ?? 0,
    commit: readCommit(),
    date: now.toISOString(),
  };
}

function readCommit(): string {
  try {
    const root = new URL('../../../.git/', import.meta.url);
    const head = readFileSync(new URL('HEAD', root), 'utf8').trim();
    const commit = head.startsWith('ref: ') ? readFileSync(new URL(head.slice(5), root), 'utf8').trim() : head;
    return commit.slice(0, 12);
  } catch {
    return 'unknown';
  }
}
