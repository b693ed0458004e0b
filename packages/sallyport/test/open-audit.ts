import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type AuditSubject, toAuditSubject } from '../src/core/audit.ts';
import type { AuditHeads } from '../src/core/audit-heads.ts';
import { type Client, toDeclaration } from '../src/core/client.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { KEY_HOLDER } from '../src/core/principal.ts';
import { takeFileLock } from '../src/storage/file-lock.ts';
import { type AuditOptions, type OpenAudit, openAudit } from '../src/telemetry/audit/audit.ts';
import { readRecords } from '../src/telemetry/audit/read-records.ts';
import { makeSealKey, readPublicKey } from '../src/telemetry/audit/sealer.ts';
import { listChains } from '../src/telemetry/audit/segments.ts';
import { verifyChainFolder } from '../src/telemetry/audit/verify-chain.ts';
import { openHeads } from './remembered-heads.ts';
import { waitFor } from './wait-for.ts';

const KEY = makeSealKey();
const SECRETS = new Map([
  ['audit-seal-key', KEY],
  ['audit-digest-key', '11'.repeat(32)],
]);
const CLIENT: Client = {
  key: 'c',
  principal: { ...KEY_HOLDER, id: 'key:k1', person: 'ann', agent: 'desktop', actors: ['bot'] },
  info: { name: 'test "client"', version: '1' },
  ...toDeclaration('modern', {}),
};
export const END = { outcome: 'ok', guard: undefined, reason: undefined, ms: 1.5, resultBytes: 9 } as const;

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const databases = new Map<string, Promise<AuditHeads>>();

/** Each folder has a database, over all lives of its writers. */
export function headsOf(directory: string): Promise<AuditHeads> {
  const heads = databases.get(directory) ?? openHeads(directory);
  databases.set(directory, heads);
  return heads;
}

export async function openTestAudit(directory: string, options: Partial<AuditOptions> = {}): Promise<OpenAudit> {
  const audit = await openAudit({
    directory,
    mode: 'batched',
    withinMs: 20,
    segmentBytes: 1_000_000,
    values: 'digest',
    keepDays: 0,
    anchor: undefined,
    post: () => Promise.reject(new Error('nothing is sent here')),
    heads: await headsOf(directory),
    lock: takeFileLock,
    secret: (name) => Promise.resolve(SECRETS.get(name) ?? ''),
    version: '1',
    clock: systemClock,
    log: silentLog,
    ...options,
  });
  onTestFinished(() => audit.close());
  return audit;
}

export function subject(callId: string): AuditSubject {
  const made = toAuditSubject(callId, 'tools/call', { client: CLIENT, requestBytes: 5, snapshotVersion: 1 });
  made.upstream = 'github';
  made.target = 'create_issue';
  return made;
}

export async function record(audit: OpenAudit, callId: string): Promise<void> {
  const one = subject(callId);
  await audit.admit(one, Buffer.from('{"a":1}'));
  audit.finish(one, END, Buffer.from('{}'));
}

export async function verify(directory: string) {
  const reports = [];
  for (const chain of await listChains(directory))
    reports.push(await verifyChainFolder(directory, chain, { key: readPublicKey(KEY) }));
  return reports;
}

export async function readAll(directory: string) {
  const found = [];
  for await (const { value } of readRecords(directory)) found.push(value);
  return found;
}

export const segmentsIn = (directory: string) =>
  readdirSync(join(directory, '0')).filter((name) => name.endsWith('.jsonl'));
export const lastSegment = (directory: string) => join(directory, '0', segmentsIn(directory).sort().at(-1) ?? '');

/** Waits until calls are refused, or taken again. */
export const untilRefused = (audit: OpenAudit, pattern: RegExp) =>
  waitFor(() => expect(() => audit.admit(subject('refused'), undefined)).toThrow(pattern));
export const untilTaken = (audit: OpenAudit) => waitFor(() => record(audit, 'again'));
