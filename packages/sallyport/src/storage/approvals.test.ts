import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SAMPLE_TEXTS, sampleTexts } from '../../test/sample-texts.ts';
import type { TextSeal } from '../core/text-seal.ts';
import type { Asked, PersonAnswer } from '../guard/approve/approval.ts';
import { toDigest } from '../guard/approve/digest.ts';
import { createApprovalStore } from './approvals.ts';
import { type Database, openDatabase } from './database.ts';
import { createGrantStore } from './grants.ts';

let dir: string;
let databases: Database[];
let now: number;
const clock = { now: () => now };

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sallyport-approvals-'));
  databases = [];
  now = 1_000_000;
});
afterEach(async () => {
  for (const database of databases) await database.destroy();
  rmSync(dir, { recursive: true });
});

/** One connection of its own, as another process has. */
async function open(texts: TextSeal = SAMPLE_TEXTS) {
  const database = await openDatabase(join(dir, 'sallyport.db'));
  databases.push(database);
  return {
    database,
    approvals: createApprovalStore(database, clock, texts),
    grants: createGrantStore(database, clock, texts),
  };
}

const asked = (given: Record<string, number> = { n: 1 }, more: Partial<Asked> = {}): Asked => ({
  callId: 'c',
  run: 'r',
  principal: 'key:alice',
  client: 'test',
  upstream: 'u',
  tool: 't',
  toolDigest: 'd',
  arguments: given,
  argumentsDigest: toDigest(given),
  policyVersion: 'v',
  reasons: [{ guard: 'policy', reason: 'because' }],
  classes: [],
  needed: 1,
  ...more,
});
const rules = { ttlMs: 1_000, callerMayAnswer: true } as const;
const yes = (more: Record<string, unknown> = {}): PersonAnswer =>
  ({ kind: 'allow', scope: 'once', by: 'key:bob', via: 'command', at: now, ...more }) as PersonAnswer;

test('the same question is one approval, until it is answered; a no holds until it expires', async () => {
  const { approvals } = await open();
  const { approval, isNew } = await approvals.open(asked(), rules);
  expect(isNew).toBe(true);
  expect(await approvals.open(asked({ n: 1 }, { callId: 'd' }), rules)).toMatchObject({
    isNew: false,
    approval: { id: approval.id },
  });
  expect((await approvals.open(asked({ n: 1 }, { toolDigest: 'e' }), rules)).isNew).toBe(true);
  expect((await approvals.open(asked({ n: 1 }, { principal: 'key:eve' }), rules)).isNew).toBe(true);
  await approvals.answer(approval.id, { ...yes(), kind: 'deny' } as PersonAnswer);
  expect(await approvals.open(asked(), rules)).toMatchObject({ isNew: false, approval: { state: 'denied' } });
  now += 1_001;
  expect((await approvals.open(asked(), rules)).isNew).toBe(true);
});

test('the question tells what changed since the last yes', async () => {
  const { approvals } = await open();
  const { approval } = await approvals.open(asked({ n: 1, m: 1 }), rules);
  expect(approval.difference).toBeUndefined();
  await approvals.answer(approval.id, yes());
  const next = await approvals.open(asked({ n: 2, m: 1 }), rules);
  expect(next.approval.difference).toEqual([{ path: '/n', before: 1, after: 2 }]);
});

test('what expired cannot be answered, and says so', async () => {
  const { approvals, grants } = await open();
  const { approval } = await approvals.open(asked(), rules);
  now += 1_000;
  expect(await approvals.get(approval.id)).toMatchObject({ state: 'expired' });
  await expect(approvals.answer(approval.id, yes())).rejects.toMatchObject({ code: 'conflict' });
  await expect(approvals.answer('ap_none', yes())).rejects.toMatchObject({ code: 'not_found' });
  expect(await grants.find(asked())).toBeUndefined();
});

test('of two answers at once, from two processes, one counts', async () => {
  const [one, two] = [await open(), await open()];
  const { approval } = await one.approvals.open(asked(), rules);
  const no = { kind: 'deny', by: 'key:carol', via: 'command', at: now } as const;
  const ended = await Promise.allSettled([
    one.approvals.answer(approval.id, yes()),
    two.approvals.answer(approval.id, no),
  ]);
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a caller cannot bury the question that matters', async () => {
  const { approvals } = await open();
  for (let n = 0; n < 100; n++) await approvals.open(asked({ n }), rules);
  await expect(approvals.open(asked({ n: 100 }), rules)).rejects.toMatchObject({ code: 'too_many' });
  expect((await approvals.open(asked({ n: 100 }, { principal: 'key:eve' }), rules)).isNew).toBe(true);
});

test('a once grant is never used twice, whatever the order of calls, in whatever process', async () => {
  const stores = [await open(), await open()] as const;
  let question = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ store: fc.integer({ min: 0, max: 1 }), late: fc.boolean() }), {
        minLength: 2,
        maxLength: 12,
      }),
      fc.integer({ min: 1, max: 3 }),
      async (calls, yeses) => {
        const same = asked({ n: ++question });
        let made = 0;
        for (let i = 0; i < yeses; i++) {
          const { approval } = await stores[0].approvals.open(same, rules);
          if (approval.state === 'waiting') await stores[0].approvals.answer(approval.id, yes());
          made++;
        }
        const ran = await Promise.all(
          calls.map(async ({ store, late }, index) => {
            const { grants } = stores[store as 0 | 1];
            if (late) await new Promise((resolve) => setImmediate(resolve));
            const grant = await grants.find(same);
            return grant !== undefined && (await grants.claim(grant, `call-${index}`)) ? grant.id : undefined;
          }),
        );
        const used = ran.filter((id) => id !== undefined);
        expect(new Set(used).size).toBe(used.length);
        expect(used.length).toBeLessThanOrEqual(made);
        expect(used.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 40 },
  );
});

test('a standing grant is used again and again, until it is revoked', async () => {
  const { approvals, grants } = await open();
  const { approval } = await approvals.open(asked(), rules);
  await approvals.answer(approval.id, yes({ scope: 'always' }));
  for (let i = 0; i < 3; i++) {
    const grant = await grants.find(asked());
    expect(grant && (await grants.claim(grant, `call-${i}`))).toBe(true);
  }
  const [grant] = await grants.list();
  await grants.revoke(grant?.id ?? '');
  expect(await grants.find(asked())).toBeUndefined();
  expect(grant && (await grants.claim(grant, 'call-9'))).toBe(false);
  await expect(grants.revoke('gr_none')).rejects.toMatchObject({ code: 'not_found' });
});

test('a grant taken before the end is still taken after it: nothing comes back', async () => {
  const first = await open();
  const { approval } = await first.approvals.open(asked(), rules);
  await first.approvals.answer(approval.id, yes());
  const grant = await first.grants.find(asked());
  expect(grant && (await first.grants.claim(grant, 'call-1'))).toBe(true);
  const second = await open();
  expect(await second.grants.find(asked())).toBeUndefined();
  expect(grant && (await second.grants.claim(grant, 'call-2'))).toBe(false);
});

/** Everything in the folder of the database, its write-ahead log included. */
const kept = () =>
  readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), 'latin1'))
    .join();

test('what was asked, and what a person wrote, stands nowhere in the clear', async () => {
  const { approvals } = await open();
  const reasons = [{ guard: 'taint', reason: 'since it was said-in-a-reason' }];
  const question = asked({ body: 'said-in-an-argument' } as never, { reasons });
  const { approval } = await approvals.open(question, rules);
  const later = asked({ body: 'said-in-another' } as never, { reasons });
  await approvals.answer(approval.id, yes({ arguments: { body: 'said-by-a-person' } }));
  // With what changed since the last yes.
  const second = await approvals.open(later, rules);
  now += 2_000;
  expect(await approvals.get(second.approval.id)).toMatchObject({ state: 'expired', difference: expect.anything() });
  expect(kept()).toContain(approval.id);
  expect(kept()).not.toContain('said-');

  const other = await open();
  expect(await other.approvals.get(approval.id)).toMatchObject({ ...question, state: 'allowed' });
  expect(await other.grants.find(question)).toMatchObject({ arguments: { body: 'said-by-a-person' } });
});

test('under another key nothing of it is there, and nothing is allowed', async () => {
  const { approvals } = await open();
  const { approval } = await approvals.open(asked(), rules);
  await approvals.answer(approval.id, yes({ scope: 'run' }));
  const waiting = await approvals.open(asked({ n: 2 }), rules);
  const stranger = await open(sampleTexts(8));
  expect(await stranger.approvals.list()).toEqual([]);
  expect(await stranger.approvals.get(approval.id)).toBeUndefined();
  expect(await stranger.grants.find(asked())).toBeUndefined();
  expect(await stranger.grants.list()).toEqual([]);
  await expect(stranger.approvals.answer(waiting.approval.id, yes())).rejects.toMatchObject({ code: 'not_found' });
  // What cannot be read is asked again.
  expect(await stranger.approvals.open(asked({ n: 2 }), rules)).toMatchObject({ isNew: true });
});

test('what an earlier version wrote in the clear is read, answered and from then on sealed', async () => {
  const { approvals, database, grants } = await open();
  const { approval } = await approvals.open(asked({ n: 1 }), rules);
  const plain = JSON.stringify({ ...approval, arguments: { n: 1, note: 'said-before' } });
  await database.updateTable('approval').set({ record: plain }).where('id', '=', approval.id).execute();
  expect(kept()).toContain('said-before');
  expect(await approvals.list({ state: 'waiting' })).toMatchObject([{ arguments: { note: 'said-before' } }]);
  await approvals.answer(approval.id, yes({ scope: 'run' }));
  const [row] = await database.selectFrom('approval').select('record').execute();
  expect(row?.record).not.toContain('said-before');

  const [grant] = await grants.list();
  await database
    .updateTable('approval_grant')
    .set({ record: JSON.stringify(grant) })
    .execute();
  expect(await grants.find(asked({ n: 1 }))).toMatchObject({ id: grant?.id, scope: 'run' });
});
