import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDatabase } from '../../test/lock-database.ts';
import { waitFor } from '../../test/wait-for.ts';
import { toDefinition } from '../catalog/pins/define-item.ts';
import type { Sighting } from '../catalog/pins/pin.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { openDatabase } from './database.ts';
import { PinKeeper } from './pin-keeper.ts';
import { createPinStore } from './pins.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sallyport-pins-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const AT = '2025-01-01T00:00:00.000Z';

function met(name: string, description: string, approve = false): Sighting {
  const definition = toDefinition('tools', JSON.stringify({ name, description }));
  return { server: 's', kind: 'tools', name, definition, renamedFrom: undefined, approve };
}

test('what another process decides is found by its revision', async () => {
  const file = join(dir, 'sallyport.db');
  const [one, other] = [await openDatabase(file), await openDatabase(file)];
  const [running, command] = [createPinStore(one, '/a.json'), createPinStore(other, '/a.json')];
  await running.keep([met('a', 'first', true), met('b', 'first')], AT);
  const before = await running.read();
  expect(before.pins.map(({ name, approved }) => [name, approved !== undefined])).toEqual([
    ['a', true],
    ['b', false],
  ]);
  const { digest } = met('b', 'first').definition;
  const decision = { server: 's', kind: 'tools', name: 'b', digest, decision: 'approve', by: 'me' } as const;
  expect(await command.decide([decision], AT)).toEqual([]);
  const { pins, revision } = await running.read(before.revision);
  expect(pins).toMatchObject([{ name: 'b', approved: { digest }, approvedBy: 'me' }]);
  expect((await running.read(revision)).pins).toEqual([]);
  await one.destroy();
  await other.destroy();
});

test('pins are read in pieces, of which none is cut where rows have one revision', async () => {
  const database = await openDatabase(':memory:');
  const store = createPinStore(database, '/a.json');
  const names = ['a', 'b', 'c', 'd', 'e'];
  await store.keep(
    names.map((name) => met(name, 'first')),
    AT,
  );
  // Rows of one statement have one revision.
  await database.updateTable('pin').set({ revision: 2 }).where('name', 'in', ['b', 'c', 'd']).execute();
  await database.updateTable('pin').set({ revision: 3 }).where('name', '=', 'e').execute();
  const found: string[][] = [];
  for (let after = 0, isMore = true; isMore; ) {
    const { pins, revision } = await store.read(after, 2);
    isMore = revision !== after;
    after = revision;
    if (isMore) found.push(pins.map(({ name }) => name).sort());
  }
  expect(found).toEqual([['a', 'b', 'c', 'd'], ['e']]);
  await database.destroy();
});

test('a decision about a definition that is another one by now changes nothing', async () => {
  const database = await openDatabase(':memory:');
  const store = createPinStore(database, '/a.json');
  await store.keep([met('a', 'shown')], AT);
  await store.keep([met('a', 'swapped')], AT);
  const { digest } = met('a', 'shown').definition;
  const decision = { server: 's', kind: 'tools', name: 'a', digest, decision: 'approve', by: 'me' } as const;
  expect(await store.decide([decision], AT)).toEqual([decision]);
  expect((await store.read()).pins).toMatchObject([{ approved: undefined }]);
  await database.destroy();
});

test('first sight takes the place of no approval and of no refusal', async () => {
  const database = await openDatabase(':memory:');
  const store = createPinStore(database, '/a.json');
  await store.keep([met('a', 'one', true), met('b', 'one')], AT);
  const { digest } = met('b', 'one').definition;
  await store.decide([{ server: 's', kind: 'tools', name: 'b', digest, decision: 'reject', by: 'me' }], AT);
  await store.keep([met('a', 'two', true), met('b', 'two', true)], AT);
  const [a, b] = (await store.read()).pins;
  expect(a?.approved).toEqual(met('a', 'one').definition);
  expect(a?.seen).toEqual(met('a', 'two').definition);
  expect(b).toMatchObject({ approved: undefined, rejected: digest });
  await database.destroy();
});

test('what could not be written while the database was locked is written afterwards', async () => {
  const file = join(dir, 'sallyport.db');
  const database = await openDatabase(file, { patienceMs: 50 });
  const store = createPinStore(database, '/a.json');
  const errors: string[] = [];
  const log = { ...silentLog, error: (_: unknown, text: string) => errors.push(text) };
  const keeper = new PinKeeper({ store, clock: systemClock, log, adopt: () => {} });
  await keeper.open();
  const { release } = await lockDatabase(file);
  keeper.keep([met('a', 'one', true)]);
  await waitFor(() => expect(errors).toEqual(['what servers offer could not be written down yet']));
  keeper.keep([met('b', 'one')]);
  await release();
  await waitFor(async () => expect((await store.read()).pins.map(({ name }) => name)).toEqual(['a', 'b']));
  await keeper.close();
  await database.destroy();
  expect(errors).toHaveLength(1);
});

test('two configurations with a server of one name share no pins', async () => {
  const database = await openDatabase(':memory:');
  const [one, other] = [createPinStore(database, '/one.json'), createPinStore(database, '/other.json')];
  await one.keep([met('a', 'first', true)], AT);
  expect((await other.read()).pins).toEqual([]);
  await other.keep([met('a', 'another')], AT);
  const { digest } = met('a', 'another').definition;
  await other.decide([{ server: 's', kind: 'tools', name: 'a', digest, decision: 'reject', by: 'me' }], AT);
  expect((await one.read()).pins).toMatchObject([{ name: 'a', approvedBy: 'first sight', rejected: undefined }]);
  expect((await other.read()).pins).toMatchObject([{ name: 'a', approved: undefined, rejected: digest }]);
  await database.destroy();
});

test('pins of before belong to the first configuration that has their server', async () => {
  const database = await openDatabase(':memory:');
  await createPinStore(database, '').keep([met('a', 'first', true)], AT);
  const [one, other, third] = ['/one.json', '/other.json', '/third.json'].map((file) => createPinStore(database, file));
  await one?.claim(['elsewhere']);
  await other?.claim(['s']);
  await third?.claim(['s']);
  expect((await other?.read())?.pins).toMatchObject([{ name: 'a', approvedBy: 'first sight' }]);
  expect([(await one?.read())?.pins, (await third?.read())?.pins]).toEqual([[], []]);
  await database.destroy();
});
