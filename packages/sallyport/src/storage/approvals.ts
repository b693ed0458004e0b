import { randomBytes } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import type { TextSeal } from '../core/text-seal.ts';
import {
  type Approval,
  type ApprovalState,
  type Asked,
  applyAnswer,
  type PersonAnswer,
} from '../guard/approve/approval.ts';
import { compareArguments } from '../guard/approve/compare-arguments.ts';
import { toGrant } from '../guard/approve/grant.ts';
import { type ApprovalRow, toApproval, toGrantRow, toRow } from './approval-rows.ts';
import type { Database } from './database.ts';

/** What people were asked and what they answered. Every change is on disk when it returns. */
export interface ApprovalStore {
  /** The approval this call waits for: one that waits already, or was denied and has not expired, else a new one. */
  open(asked: Asked, rules: AskRules): Promise<{ readonly approval: Approval; readonly isNew: boolean }>;
  get(id: string): Promise<Approval | undefined>;
  /** The newest first. */
  list(filter?: ApprovalFilter): Promise<readonly Approval[]>;
  /** How many wait for a person. */
  countWaiting(): Promise<number>;
  /** Those that changed at or after a time, the oldest change first. */
  changedSince(time: number): Promise<readonly Approval[]>;
  /** A yes that completes the approval makes its grant, in one transaction. @throws FaultError `not_found`, `conflict`, `forbidden`, `invalid_params`. */
  answer(id: string, answer: PersonAnswer): Promise<Approval>;
}

/** What is left out matches everything. */
export interface ApprovalFilter {
  readonly state?: ApprovalState | undefined;
  readonly principal?: string | undefined;
  readonly upstream?: string | undefined;
  readonly tool?: string | undefined;
  readonly limit?: number | undefined;
  /** Only what comes after this one. */
  readonly after?: Pick<Approval, 'id' | 'createdAt'> | undefined;
}

export interface AskRules {
  readonly ttlMs: number;
  readonly callerMayAnswer: boolean;
}

/** A caller that asks and asks would bury the question that matters. */
const MAX_WAITING_PER_CALLER = 100;
const KEPT_MS = 90 * 24 * 3_600_000;
const MAX_LISTED = 1_000;

/** @param texts seals what was asked and answered */
export function createApprovalStore(database: Database, clock: Clock, texts: TextSeal): ApprovalStore {
  const here = { database, clock, texts };
  const all = () => database.selectFrom('approval').selectAll();
  return {
    async open(asked, rules) {
      await expire(here);
      const known = await findOpen(here, asked);
      if (known !== undefined) return { approval: known, isNew: false };
      await makeRoom(here, asked.principal);
      const before = await lastAllowed(here, asked);
      const now = clock.now();
      const approval: Approval = {
        ...asked,
        id: newApprovalId(),
        state: 'waiting',
        createdAt: now,
        updatedAt: now,
        expiresAt: now + rules.ttlMs,
        callerMayAnswer: rules.callerMayAnswer,
        answers: [],
        difference: before && compareArguments(before.arguments, asked.arguments),
      };
      await database.insertInto('approval').values(toRow(approval, texts)).execute();
      return { approval, isNew: true };
    },

    async get(id) {
      await expire(here);
      const row = await all().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : toApproval(row, texts);
    },

    async list({ limit = 100, after, ...filter } = {}) {
      await expire(here);
      const rows = await all()
        .where((is) =>
          is.and([
            ...(['state', 'principal', 'upstream', 'tool'] as const).flatMap((column) => {
              const value = filter[column];
              return value === undefined ? [] : [is(column, '=', value)];
            }),
            ...(after === undefined ? [] : [sql<SqlBool>`(created_at, id) < (${after.createdAt}, ${after.id})`]),
          ]),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(Math.min(limit, MAX_LISTED))
        .execute();
      return readRows(rows, texts);
    },

    async countWaiting() {
      await expire(here);
      const { waiting } = await database
        .selectFrom('approval')
        .select(({ fn }) => fn.countAll<number>().as('waiting'))
        .where('state', '=', 'waiting')
        .executeTakeFirstOrThrow();
      return Number(waiting);
    },

    async changedSince(time) {
      await expire(here);
      const rows = await all().where('updated_at', '>=', time).orderBy('updated_at').limit(MAX_LISTED).execute();
      return readRows(rows, texts);
    },

    answer: (id, answer) => answerOnce(here, id, answer),
  };
}

interface Here {
  readonly database: Database;
  readonly clock: Clock;
  readonly texts: TextSeal;
}

function readRows(rows: readonly ApprovalRow[], texts: TextSeal): readonly Approval[] {
  return rows.flatMap((row) => toApproval(row, texts) ?? []);
}

/** Read aloud and typed by people: letters and digits only. */
function newApprovalId(): string {
  return `ap_${randomBytes(8).toString('hex')}`;
}

/** What nobody answered in time. */
async function expire({ database, clock }: Here): Promise<void> {
  const now = clock.now();
  // Looked at first: a statement that writes takes the lock of the file, whether it finds anything or not.
  const late = await database
    .selectFrom('approval')
    .select('id')
    .where('state', '=', 'waiting')
    .where('expires_at', '<=', now)
    .limit(MAX_LISTED)
    .execute();
  for (const { id } of late)
    await database
      .updateTable('approval')
      .set({ state: 'expired', updated_at: now })
      .where('id', '=', id)
      .where('state', '=', 'waiting')
      .execute();
}

async function findOpen({ database, clock, texts }: Here, asked: Asked): Promise<Approval | undefined> {
  const rows = await database
    .selectFrom('approval')
    .selectAll()
    .where('principal', '=', asked.principal)
    .where('upstream', '=', asked.upstream)
    .where('tool', '=', asked.tool)
    .where('arguments_digest', '=', asked.argumentsDigest)
    .where('expires_at', '>', clock.now())
    .orderBy('created_at', 'desc')
    .limit(20)
    .execute();
  const newest = readRows(rows, texts).find(
    (one) => one.toolDigest === asked.toolDigest && one.policyVersion === asked.policyVersion,
  );
  return newest?.state === 'waiting' || newest?.state === 'denied' ? newest : undefined;
}

async function makeRoom({ database, clock }: Here, principal: string): Promise<void> {
  const old = clock.now() - KEPT_MS;
  await database.deleteFrom('approval').where('created_at', '<', old).where('state', '!=', 'waiting').execute();
  await database.deleteFrom('approval_grant').where('expires_at', '<', old).execute();
  const { waiting } = await database
    .selectFrom('approval')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('state', '=', 'waiting')
    .where('principal', '=', principal)
    .executeTakeFirstOrThrow();
  if (Number(waiting) >= MAX_WAITING_PER_CALLER)
    throw new FaultError(
      'too_many',
      `${MAX_WAITING_PER_CALLER} calls of this caller wait for a person already. Wait until some are answered.`,
    );
}

async function lastAllowed({ database, texts }: Here, { upstream, tool }: Asked): Promise<Approval | undefined> {
  const row = await database
    .selectFrom('approval')
    .selectAll()
    .where('upstream', '=', upstream)
    .where('tool', '=', tool)
    .where('state', '=', 'allowed')
    .orderBy('updated_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : toApproval(row, texts);
}

function answerOnce({ database, texts }: Here, id: string, answer: PersonAnswer): Promise<Approval> {
  return database.transaction().execute(async (transaction) => {
    // The write lock first: a transaction that reads first cannot become a writer when another process wrote meanwhile.
    await transaction.updateTable('approval').set({ id }).where('id', '=', id).execute();
    const row = await transaction.selectFrom('approval').selectAll().where('id', '=', id).executeTakeFirst();
    const before = row && toApproval(row, texts);
    if (before === undefined) throw new FaultError('not_found', `There is no approval ${id.slice(0, 64)}.`);
    const { state, answers, grant } = applyAnswer(before, answer);
    const after: Approval = { ...before, state, answers, updatedAt: answer.at };
    await transaction.updateTable('approval').set(toRow(after, texts)).where('id', '=', id).execute();
    if (grant !== undefined) {
      const made = toGrant(before, grant, { id: `gr_${randomBytes(8).toString('hex')}`, now: answer.at });
      await transaction.insertInto('approval_grant').values(toGrantRow(made, texts)).execute();
    }
    return after;
  });
}
