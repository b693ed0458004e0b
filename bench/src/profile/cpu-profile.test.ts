import { expect, test } from 'vitest';
import { type CpuProfile, summarizeProfile } from './cpu-profile.ts';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 9 });

test('samples inside the window are summed by function, recursion once', () => {
  const profile: CpuProfile = {
    startTime: 1_000,
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 5] },
      { id: 2, callFrame: frame('work', 'file:///w/packages/sallyport/dist/a.js'), children: [3] },
      { id: 3, callFrame: frame('work', 'file:///w/packages/sallyport/dist/a.js'), children: [4] },
      { id: 4, callFrame: frame('leaf', 'file:///w/node_modules/undici/lib/b.js') },
      { id: 5, callFrame: frame('(idle)') },
    ],
    // At 1010, 1020, 1030, 1040, 1050; the first lies before the window.
    samples: [4, 4, 3, 5, 2],
    timeDeltas: [10, 10, 10, 10, 10],
  };
  const { functions, busyUs } = summarizeProfile(profile, 1_015, 2_000);
  const times = new Map(functions.map((one) => [`${one.name} ${one.place}`, [one.selfUs, one.totalUs]]));
  expect(times.get('work packages/sallyport/dist/a.js:10')).toEqual([10, 20]);
  expect(times.get('leaf undici/lib/b.js:10')).toEqual([10, 10]);
  expect(times.get('(idle) ')).toEqual([10, 10]);
  expect(busyUs).toBe(20);
});
