import { expect, test } from 'vitest';
import { silentLog } from '../core/log.ts';
import { createLateDesk, type LateDeskPorts } from './late-desk.ts';

function open(database: LateDeskPorts['database']) {
  const errors: unknown[] = [];
  const log = { ...silentLog, error: (about: unknown) => void errors.push(about) };
  const desk = createLateDesk({
    database,
    texts: () => Promise.reject(new Error('no key')),
    log,
  } as unknown as LateDeskPorts);
  return { desk, errors };
}

test('takes no database before somebody asks, nor to hear of an answer, nor to close', async () => {
  let opened = 0;
  const { desk } = open(() => {
    opened++;
    return Promise.reject(new Error('disk full'));
  });
  desk.heard({} as Parameters<typeof desk.heard>[0]);
  await desk.close();
  await desk.close();
  expect(opened).toBe(0);
});

test('tries to open it again after it failed', async () => {
  let opened = 0;
  const { desk } = open(() => {
    opened++;
    return Promise.reject(new Error('disk full'));
  });
  const answer = { kind: 'deny', by: 'ann', via: 'cli' } as unknown as Parameters<typeof desk.answer>[1];
  await expect(desk.answer('ap_1', answer)).rejects.toThrow(/disk full|no key/);
  await expect(desk.answer('ap_1', answer)).rejects.toThrow(/disk full|no key/);
  expect(opened).toBe(2);
});

test('logs what fails when it goes on where another process stopped', async () => {
  let failed = (_: unknown): void => {};
  const logged = new Promise((resolve) => (failed = resolve));
  const desk = createLateDesk({
    database: () => Promise.reject(new Error('disk full')),
    texts: () => Promise.reject(new Error('disk full')),
    log: { ...silentLog, error: failed },
  } as unknown as LateDeskPorts);
  desk.resume();
  expect(await logged).toMatchObject({ error: expect.objectContaining({ message: 'disk full' }) });
});
