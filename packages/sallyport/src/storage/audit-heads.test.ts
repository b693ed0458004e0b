import { expect, test } from 'vitest';
import { createAuditHeads } from './audit-heads.ts';
import { openDatabase } from './database.ts';

const HEAD = { seq: 7, hash: 'h' };

async function open() {
  const database = await openDatabase(':memory:');
  const of = (directory: string, stateDir = '/state') =>
    createAuditHeads(() => Promise.resolve(database), { stateDir, directory });
  return { of, close: () => database.destroy() };
}

test('a damage stays until a person accepts it, whatever is sealed meanwhile', async () => {
  const { of, close } = await open();
  const heads = of('/state/audit');
  await heads.put('0', HEAD);
  await heads.report('0', 'gone');
  await heads.report('1', 'gone, too');
  await heads.put('0', { seq: 9, hash: 'i' });
  const none = { seq: 0, hash: '', isAccepted: false };
  expect(await heads.list()).toEqual([
    { chain: '0', seq: 9, hash: 'i', damage: 'gone', isAccepted: false },
    { ...none, chain: '1', damage: 'gone, too' },
  ]);
  await heads.accept([]);
  await heads.accept(['0']);
  expect(await heads.list()).toMatchObject([{ damage: undefined, isAccepted: true }, { damage: 'gone, too' }]);
  await heads.put('0', HEAD);
  await heads.report('1', undefined);
  expect(await heads.list()).toMatchObject([
    { seq: 7, isAccepted: false },
    { damage: undefined, isAccepted: false },
  ]);
  await close();
});

test('a state directory may be moved with the audit in it; other audits are others', async () => {
  const { of, close } = await open();
  await of('/state/audit').put('0', HEAD);
  await of('/other/audit').put('0', { seq: 1, hash: 'x' });
  expect(await of('/moved/audit', '/moved').list()).toMatchObject([HEAD]);
  expect(await of('/other/audit', '/moved').list()).toMatchObject([{ seq: 1 }]);
  expect(await of('/state-2/audit').list()).toEqual([]);
  await close();
});
