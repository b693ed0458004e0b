import { expect, it } from 'vitest';
import { IdTable } from './id-table.ts';

it('keeps what it is given, whatever comes and goes around it', () => {
  const table = new IdTable<string>();
  const model = new Map<number, string>();
  let id = 0;
  let seed = 7;
  const random = () => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  for (let step = 0; step < 20_000; step++) {
    if (random() < (model.size < 300 ? 0.55 : 0.45)) {
      const next = table.nextId(id);
      expect(next).toBeGreaterThan(id);
      id = next;
      table.set(id, `v${id}`);
      model.set(id, `v${id}`);
    } else {
      const victim = [...model.keys()][Math.floor(random() * model.size)];
      if (victim === undefined) continue;
      table.delete(victim);
      model.delete(victim);
    }
    expect(table.size).toBe(model.size);
  }
  for (const [key, value] of model) expect(table.get(key)).toBe(value);
  expect(table.ids().sort((a, b) => a - b)).toEqual([...model.keys()].sort((a, b) => a - b));
  expect(table.values().sort()).toEqual([...model.values()].sort());
});

it('knows nothing of ids that are not in it', () => {
  const table = new IdTable<string>();
  table.set(1, 'a');
  for (const id of [0, -1, 65, 1.5, Number.NaN, 2 ** 53]) expect(table.get(id)).toBeUndefined();
  table.delete(65);
  expect(table.get(1)).toBe('a');
});

it('takes ids of a foreign sequence that fall together', () => {
  const table = new IdTable<string>();
  for (const id of [1, 65, 129, 4097]) table.set(id, String(id));
  for (const id of [1, 65, 129, 4097]) expect(table.get(id)).toBe(String(id));
});
