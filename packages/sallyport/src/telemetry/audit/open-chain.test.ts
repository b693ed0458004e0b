import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  headsOf,
  lastSegment,
  newFolder,
  openTestAudit,
  readAll,
  record,
  subject,
  untilRefused,
  untilTaken,
  verify,
} from '../../../test/open-audit.ts';
import type { AuditHeads } from '../../core/audit-heads.ts';

test('a tail that was cut off while Sallyport was down is not papered over', async () => {
  const directory = newFolder();
  const cutOff = await cutTail(directory);
  const next = await openTestAudit(directory);
  await record(next, 'two');
  await next.close();
  expect(await verify(directory)).toMatchObject([{ bad: { seq: cutOff } }]);
  expect(await readAll(directory)).toContainEqual(
    expect.objectContaining({ kind: 'damaged', chain: '0', reason: expect.stringContaining('are missing') }),
  );
  expect(await (await headsOf(directory)).list()).toMatchObject([{ damage: expect.stringContaining('are missing') }]);
});

test('after it mode strict takes nothing, before a person has accepted it', async () => {
  const directory = newFolder();
  await cutTail(directory);
  const next = await openTestAudit(directory, { mode: 'strict' });
  expect(() => next.admit(subject('two'), undefined)).toThrow(/are missing/);
  await untilRefused(next, /are missing/);
  writeFileSync(join(directory, '0', 'repair'), '');
  await untilTaken(next);
});

test('records of a neighbour that were removed are missed, too, and reported until they are accepted', async () => {
  const directory = newFolder();
  const [audit, beside] = [await openTestAudit(directory), await openTestAudit(directory)];
  await record(audit, 'here');
  await record(beside, 'beside');
  await audit.close();
  await beside.close();
  rmSync(join(directory, '1'), { recursive: true });
  const heads = await headsOf(directory);
  const words = /^chain 1: the records from 1 to \d+ are missing$/;
  for (const start of ['first', 'second']) {
    const strict = await openTestAudit(directory, { mode: 'strict' });
    expect(strict.trouble(), start).toMatch(words);
    await strict.close();
  }
  await heads.accept(['1']);
  const next = await openTestAudit(directory, { mode: 'strict' });
  await record(next, 'again');
  await next.close();
  expect(await verify(directory)).toMatchObject([{ chain: '0', bad: undefined }]);
});

test('a database that cannot be read stops mode strict at the start, and no other', async () => {
  const directory = newFolder();
  const broken = () => Promise.reject(new Error('locked'));
  const heads: AuditHeads = { list: broken, put: broken, report: broken, accept: broken };
  await expect(openTestAudit(directory, { mode: 'strict', heads })).rejects.toThrow('locked');
  const audit = await openTestAudit(directory, { heads });
  await record(audit, 'one');
  await audit.close();
});

/** Returns the number of the first record that is missing then. */
async function cutTail(directory: string): Promise<number> {
  const audit = await openTestAudit(directory, { mode: 'strict' });
  await record(audit, 'one');
  await audit.close();
  const lines = readFileSync(lastSegment(directory), 'utf8').split('\n');
  writeFileSync(lastSegment(directory), `${lines.slice(0, 2).join('\n')}\n`);
  return 3;
}
