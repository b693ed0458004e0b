import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import {
  AUDIT_MODES,
  type AuditMode,
  findDamage,
  findUnrecorded,
  startAudited,
  startWitness,
} from './audited-gateway.ts';
import { atMost, type FaultMeasure, type FaultPlace } from './figure.ts';
import { startTextCallers } from './text-callers.ts';

const OUTAGES_MS = [1_000, 5_000, 10_000];
const CALLERS = 8;
/** Nobody waits longer for a disk that has room again. Milliseconds. */
const LATEST_MS = 20_000;

interface DiskRow {
  readonly table: 'disk';
  readonly mode: AuditMode;
  readonly outageMs: number;
  readonly backMs: number;
  readonly slowestRefusalMs: number;
  readonly unrecorded: number;
  readonly damage: string | undefined;
}

/** How soon calls are answered again after the disk of the audit was full; nothing counts where the chain is broken. */
export async function measureDisk({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  const rows: DiskRow[] = [];
  for (const mode of AUDIT_MODES)
    for (const outageMs of OUTAGES_MS) {
      const row = await measureOutage(join(folder, `${mode}-${outageMs}`), { mode, outageMs });
      progress(JSON.stringify(row));
      rows.push(row);
    }
  const isSound = rows.every(({ unrecorded, damage }) => unrecorded === 0 && damage === undefined);
  const worst = Math.max(...rows.map(({ backMs }) => backMs));
  return {
    figures: [atMost('faults.disk_back_ms', isSound ? worst : Number.NaN, { goal: 1_000, unit: 'ms' })],
    rows,
  };
}

async function measureOutage(
  folder: string,
  { mode, outageMs }: { readonly mode: AuditMode; readonly outageMs: number },
): Promise<DiskRow> {
  const auditDir = join(folder, 'audit');
  mkdirSync(auditDir, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', auditDir]);
  try {
    const witness = await startWitness(folder);
    const gateway = await startAudited(folder, { mode, url: witness.url, auditDir });
    const callers = startTextCallers(gateway.target, mode, CALLERS);
    await callers.next('answer', LATEST_MS);
    const filler = fill(auditDir);
    await callers.next('refusal', LATEST_MS);
    await passed(outageMs);
    unlinkSync(filler);
    const roomAt = performance.now();
    const backMs = await callers.next('answer', LATEST_MS).then(
      () => performance.now() - roomAt,
      () => Number.POSITIVE_INFINITY,
    );
    await callers.stop();
    await gateway.child.stop(20_000);
    const row: DiskRow = {
      ...{ table: 'disk', mode, outageMs, backMs: Math.round(backMs) },
      slowestRefusalMs: Math.round(callers.slowestRefusal),
      unrecorded: findUnrecorded(gateway, witness.executed()).length,
      damage: findDamage(gateway, auditDir),
    };
    await witness.stop();
    return row;
  } finally {
    execFileSync('umount', ['-l', auditDir]);
  }
}

/** Takes all room that is left. */
function fill(directory: string): string {
  const filler = join(directory, 'filler');
  const file = openSync(filler, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
  return filler;
}
