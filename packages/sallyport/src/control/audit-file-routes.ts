import type { KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditHeads } from '../core/audit-heads.ts';
import { FaultError } from '../core/errors.ts';
import { createAuditHeads } from '../storage/audit-heads.ts';
import { fileOf, readAnchor } from '../telemetry/audit/anchor.ts';
import { SEAL_KEY_FILE } from '../telemetry/audit/audit.ts';
import { REPAIR_MARK } from '../telemetry/audit/chain-files.ts';
import { exportRecords } from '../telemetry/audit/export-records.ts';
import { findShorter } from '../telemetry/audit/find-damage.ts';
import { readPublicKey, toKeyId, toPem } from '../telemetry/audit/sealer.ts';
import { listChains } from '../telemetry/audit/segments.ts';
import { readExpectation, verifyAudit } from '../telemetry/audit/verify-audit.ts';
import type { ControlPorts } from './ports.ts';
import { wrong } from './problem.ts';
import { NULLABLE_TEXT, objectOf, type Parameter, type Route, type Schema, TEXT, TIME } from './route.ts';

export const TIMES: readonly Parameter[] = [
  { name: 'since', description: 'From then on.', schema: TIME },
  { name: 'until', description: 'Up to then.', schema: TIME },
];

const HEAD: Schema = objectOf({ seq: { type: 'integer' }, hash: TEXT });

const CHAIN: Schema = objectOf({
  chain: TEXT,
  segments: { type: 'integer' },
  records: { type: 'integer' },
  seals: { type: 'integer' },
  first: { type: 'integer' },
  last: HEAD,
  unsealed: { type: 'integer', description: 'Records after the last seal.' },
  killed: { type: 'integer', description: 'Starts without a stop before: it was killed, or the power went.' },
  bad: {
    type: ['object', 'null'],
    required: ['seq', 'segment', 'problem'],
    properties: { seq: { type: 'integer' }, segment: TEXT, problem: TEXT },
  },
});

/** Of the record; absolute. */
export function auditDirectory({ sections }: Pick<ControlPorts, 'sections'>): string {
  const { stateDir, audit } = sections();
  return audit?.directory ?? join(stateDir, 'audit');
}

/** What the database knows of the chains. */
export function auditHeadsOf(ports: Pick<ControlPorts, 'sections' | 'database'>): AuditHeads {
  const { stateDir } = ports.sections();
  return createAuditHeads(() => ports.database(), { stateDir, directory: auditDirectory(ports) });
}

/** The files of the record as a whole. */
export function auditFileRoutes(ports: ControlPorts): readonly Route[] {
  const { sections } = ports;
  const directory = () => auditDirectory(ports);
  return [
    {
      method: 'GET',
      path: '/audit/export',
      id: 'exportAudit',
      summary: 'Every record, as JSON lines as they stand, or as CSV',
      role: 'admin',
      query: [
        {
          name: 'format',
          description: 'jsonl (default): the lines as they stand; chained: with the chain as a further member; csv.',
          schema: { enum: ['jsonl', 'chained', 'csv'] },
        },
        ...TIMES,
      ],
      text: ['application/jsonl', 'text/csv'],
      handle: ({ query }) => {
        const format = query.get('format') ?? 'jsonl';
        if (format !== 'jsonl' && format !== 'chained' && format !== 'csv') wrong('format is jsonl, chained or csv.');
        const pieces = exportRecords(directory(), { format, ...readTimes(query) });
        return { type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl', pieces };
      },
    },
    {
      method: 'GET',
      path: '/audit/verification',
      id: 'verifyAudit',
      summary: 'Whether a record was changed, cut, moved or put in; the first bad one of each chain',
      role: 'admin',
      query: [
        { name: 'expect', description: 'A state that must still be part of it: chain:seq:hash.', schema: TEXT },
        {
          name: 'key',
          description: 'Whose seals count (public key, PEM); left out: those of this Sallyport.',
          schema: TEXT,
        },
      ],
      result: objectOf({
        ok: { type: 'boolean' },
        key: { type: 'string', description: 'Of the key whose seals count.' },
        directory: TEXT,
        database: { type: 'boolean', description: 'Compared with what the database of the state directory knows.' },
        anchor: { ...NULLABLE_TEXT, description: 'The file of published heads that it was compared with.' },
        chains: { type: 'array', items: CHAIN },
      }),
      handle: async ({ query }) => {
        const expect = query.get('expect');
        const given = query.get('key');
        const key = given === null ? await readKey(sections().stateDir) : readPublicKey(given);
        const { database, anchor, heads } = await readKnown(ports, key);
        if (expect !== null) heads.push({ ...readExpectation(expect), source: 'whoever expects it' });
        const chains = await verifyAudit(directory(), key, heads);
        return {
          ok: chains.every(({ bad }) => bad === undefined),
          key: toKeyId(key),
          directory: directory(),
          database,
          anchor: anchor ?? null,
          chains: chains.map(({ bad, last, ...rest }) => ({
            ...rest,
            last: { ...last },
            bad: bad === undefined ? null : { ...bad },
          })),
        };
      },
    },
    {
      method: 'GET',
      path: '/audit/key',
      id: 'showAuditKey',
      summary: 'The public key of the seals, to verify elsewhere',
      role: 'viewer',
      result: objectOf({ key: TEXT, publicKey: { type: 'string', description: 'PEM.' } }),
      handle: async () => {
        const key = await readKey(sections().stateDir);
        return { key: toKeyId(key), publicKey: toPem(key) };
      },
    },
    {
      method: 'POST',
      path: '/audit/repair',
      id: 'repairAudit',
      summary: 'Accepts that files of the record were removed or changed: writing goes on in a new segment',
      role: 'admin',
      result: objectOf({ chains: { type: 'array', items: TEXT } }),
      // Not announced in the record, which cannot be written: the first record after it says what happened.
      handle: async () => {
        const chains = await listChains(directory());
        const heads = auditHeadsOf(ports);
        const known = await heads.list();
        const shorter = await findShorter(directory(), known);
        const damaged = known.filter(({ chain, damage }) => damage !== undefined || shorter.has(chain));
        await heads.accept(damaged.map(({ chain }) => chain));
        for (const chain of chains) await writeFile(join(directory(), chain, REPAIR_MARK), '', { mode: 0o600 });
        return { chains };
      },
    },
  ];
}

/** ISO times. @throws FaultError `usage`. */
export function readTimes(query: URLSearchParams): {
  readonly since: string | undefined;
  readonly until: string | undefined;
} {
  const read = (name: string): string | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    const at = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(at)) wrong(`${name} is a date, or a time like 2026-01-31T12:00:00Z.`);
    return new Date(at).toISOString();
  };
  return { since: read('since'), until: read('until') };
}

/** Where the chains were seen to end, beside their files; before these are read. */
async function readKnown(ports: ControlPorts, key: KeyObject) {
  const { audit } = ports.sections();
  const known = await auditHeadsOf(ports)
    .list()
    .catch(() => undefined);
  const heads: Parameters<typeof verifyAudit>[2][number][] = [];
  // What a person has accepted is missing, and nobody looks for it.
  for (const { isAccepted, chain, seq, hash } of known ?? [])
    if (!isAccepted && seq > 0) heads.push({ chain, seq, hash, source: 'the database' });
  const anchor = fileOf(audit?.anchor);
  if (anchor !== undefined)
    for (const head of await readAnchor(anchor, key)) heads.push({ ...head, source: 'the anchor' });
  return { database: (known ?? []).length > 0, anchor, heads };
}

async function readKey(stateDir: string) {
  const file = join(stateDir, SEAL_KEY_FILE);
  try {
    return readPublicKey(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new FaultError('config', `The seal key ${file} cannot be read.`, { cause });
  }
}
