import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import type { Finding } from '../core/finding.ts';
import type { JsonObject } from '../core/json.ts';
import { mayTake } from '../core/shares.ts';
import type { TextSeal } from '../core/text-seal.ts';
import type { KeptResult, KeptState } from '../guard/scan/results/kept-result.ts';
import type { Database } from './database.ts';
import type { KeptResultTable } from './tables.ts';

/** Whose result it is: nobody else's call gets it. */
export type KeptOwner = Pick<KeptResult, 'principal' | 'upstream' | 'tool' | 'argumentsDigest'>;

/** Results in quarantine. What was delivered, dropped or has expired is gone; that it was there stays until it expires. */
export interface KeptResultStore {
  /** @returns its id, or `undefined` where there is no room for it. */
  keep(owner: KeptOwner, found: Kept): Promise<string | undefined>;
  /** The newest first. */
  list(filter: KeptFilter): Promise<readonly KeptResult[]>;
  /** @throws FaultError `not_found`. */
  get(id: string): Promise<KeptResult>;
  /** @throws FaultError `not_found`; `conflict` where it is not held any more. */
  decide(id: string, decision: KeptDecision): Promise<KeptResult>;
  /** Hands out a released result, once. */
  take(owner: KeptOwner): Promise<{ readonly id: string; readonly result: JsonObject } | undefined>;
}

export interface Kept {
  readonly result: JsonObject;
  readonly findings: readonly Finding[];
  readonly keepMs: number;
}

export interface KeptFilter {
  readonly state?: KeptState | undefined;
  readonly limit: number;
  readonly after?: Pick<KeptResult, 'id' | 'createdAt'> | undefined;
}

export interface KeptDecision {
  readonly state: 'released' | 'dropped';
  readonly by: string;
  readonly reason: string;
}

/** A server all of whose results are quarantined fills no disk. */
const MAX_BYTES = 1_048_576;
const MAX_ALL_BYTES = 64 * 1_048_576;
const MAX_KEPT = 1_000;

/** @param texts seals what servers said: scanning comes before masking, so there may be secrets in it */
export function createKeptResultStore(database: Database, clock: Clock, texts: TextSeal): KeptResultStore {
  const toKept = (row: Selectable<KeptResultTable>) => toKeptResult(row, texts);
  const expire = () => database.deleteFrom('kept_result').where('expires_at', '<=', clock.now()).execute();
  const rows = () => database.selectFrom('kept_result').selectAll();
  const get = async (id: string) => {
    await expire();
    const row = await rows().where('id', '=', id).executeTakeFirst();
    if (row === undefined)
      throw new FaultError('not_found', `There is no result ${id.slice(0, 64)} in quarantine. It may have expired.`);
    return toKept(row);
  };
  return {
    get,
    async keep(owner, { result, findings, keepMs }) {
      await expire();
      const text = JSON.stringify(result);
      if (text.length > MAX_BYTES || !(await hasRoom(database, owner.principal, text.length))) return undefined;
      const now = clock.now();
      const id = `re_${randomBytes(8).toString('hex')}`;
      await database
        .insertInto('kept_result')
        .values({
          ...{ id, state: 'held', created_at: now, expires_at: now + keepMs },
          ...{ principal: owner.principal, upstream: owner.upstream, tool: owner.tool },
          ...{
            arguments_digest: owner.argumentsDigest,
            findings: texts.seal([id, 'findings'], JSON.stringify(findings)),
          },
          ...{
            bytes: text.length,
            result: texts.seal([id, 'result'], text),
            decided_by: null,
            decided_at: null,
            reason: null,
          },
        })
        .execute();
      return id;
    },
    async list({ state, limit, after }) {
      await expire();
      let query = rows().orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit);
      if (state !== undefined) query = query.where('state', '=', state);
      if (after !== undefined)
        query = query.where((where) =>
          where.or([
            where('created_at', '<', after.createdAt),
            where.and([where('created_at', '=', after.createdAt), where('id', '<', after.id)]),
          ]),
        );
      return (await query.execute()).map(toKept);
    },
    async decide(id, { state, by, reason }) {
      const before = await get(id);
      const { numUpdatedRows } = await database
        .updateTable('kept_result')
        .set({
          ...{ state, decided_by: by, decided_at: clock.now(), reason },
          ...(state === 'dropped' ? { result: null } : {}),
        })
        .where('id', '=', id)
        .where('state', '=', 'held')
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n)
        throw new FaultError('conflict', `The result ${before.id} is ${before.state} already: nothing was changed.`);
      return get(id);
    },
    async take(owner) {
      // Read only: nearly every call finds nothing here.
      const found = await rows()
        .where('principal', '=', owner.principal)
        .where('upstream', '=', owner.upstream)
        .where('tool', '=', owner.tool)
        .where('arguments_digest', '=', owner.argumentsDigest)
        .where('state', '=', 'released')
        .where('expires_at', '>', clock.now())
        .orderBy('created_at')
        .executeTakeFirst();
      const result = found && toKept(found).result;
      if (found === undefined || result === undefined) return undefined;
      // Compare and set: of two calls one gets it.
      const { numUpdatedRows } = await database
        .updateTable('kept_result')
        .set({ state: 'delivered', result: null })
        .where('id', '=', found.id)
        .where('state', '=', 'released')
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 0n ? undefined : { id: found.id, result };
    },
  };
}

/** A caller whose results are all quarantined leaves room for those of others. */
async function hasRoom(database: Database, principal: string, bytes: number): Promise<boolean> {
  const all = database
    .selectFrom('kept_result')
    .select((select) => [select.fn.countAll<number>().as('count'), select.fn.sum<number | null>('bytes').as('sum')])
    .where('result', 'is not', null);
  const used = await all.executeTakeFirstOrThrow();
  const own = await all.where('principal', '=', principal).executeTakeFirstOrThrow();
  const freeBytes = MAX_ALL_BYTES - Number(used.sum ?? 0) - bytes;
  return mayTake(Number(own.count), MAX_KEPT - Number(used.count)) && mayTake(Number(own.sum ?? 0), freeBytes + 1);
}

function toKeptResult(row: Selectable<KeptResultTable>, texts: TextSeal): KeptResult {
  return {
    id: row.id,
    state: row.state,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    principal: row.principal,
    upstream: row.upstream,
    tool: row.tool,
    argumentsDigest: row.arguments_digest,
    // Both written by keep; what another key sealed is gone.
    findings: (open(texts, [row.id, 'findings'], row.findings) ?? []) as readonly Finding[],
    result: open(texts, [row.id, 'result'], row.result) as JsonObject | undefined,
    decidedBy: row.decided_by ?? undefined,
    decidedAt: row.decided_at === null ? undefined : Number(row.decided_at),
    reason: row.reason ?? undefined,
  };
}

function open(texts: TextSeal, context: readonly string[], sealed: string | null): unknown {
  if (sealed === null) return undefined;
  try {
    return JSON.parse(texts.open(context, sealed).toString('utf8'));
  } catch {
    return undefined;
  }
}
