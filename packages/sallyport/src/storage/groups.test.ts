import { expect, it } from 'vitest';
import { createGroups } from './groups.ts';

it('who comes while a group is written is written with the next one, each with its own answer', async () => {
  const groups: (readonly number[])[] = [];
  const { add } = createGroups(async (group: readonly number[]) => {
    groups.push(group);
    await new Promise((resolve) => setImmediate(resolve));
    return group.map((one) => one * 2);
  });
  const first = add(1);
  const second = add(2);
  const third = first.then(() => add(4));
  const late = new Promise<number>((resolve) => setImmediate(() => resolve(add(3))));
  expect(await Promise.all([first, second, late, third])).toEqual([2, 4, 6, 8]);
  expect(groups[0]).toEqual([1, 2]);
  expect(groups.length).toBeLessThan(4);
});

it('a group that fails fails for everybody in it, and nobody after it', async () => {
  const { add } = createGroups(async (group: readonly string[]) => {
    if (group.includes('bad')) throw new Error('no');
    return group;
  });
  const done = await Promise.allSettled([add('good'), add('bad')]);
  expect(done.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await add('good')).toBe('good');
});

it('groups are bounded, and so is the line', async () => {
  const sizes: number[] = [];
  const { add } = createGroups(async (group: readonly number[]) => {
    sizes.push(group.length);
    return group;
  });
  const done = await Promise.allSettled([...Array(1_010)].map((_, i) => add(i)));
  expect(done.filter(({ status }) => status === 'rejected')).toHaveLength(10);
  expect(Math.max(...sizes)).toBe(64);
});
