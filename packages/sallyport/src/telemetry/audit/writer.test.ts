import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  END,
  lastSegment,
  newFolder,
  openTestAudit,
  readAll,
  record,
  segmentsIn,
  subject,
  untilRefused,
  untilTaken,
  verify,
} from '../../../test/open-audit.ts';
import { waitFor } from '../../../test/wait-for.ts';

test('a strict admission is on disk when it is fulfilled', async () => {
  const directory = newFolder();
  const audit = await openTestAudit(directory, { mode: 'strict' });
  await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      await audit.admit(subject(`call-${i}`), Buffer.from('{"a":1}'));
      expect(readFileSync(lastSegment(directory), 'utf8')).toContain(`"callId":"call-${i}"`);
    }),
  );
});

test('a batched admission is with the system when it is fulfilled: the file has it, whatever happens to this process', async () => {
  const directory = newFolder();
  // No sync comes in this time.
  const audit = await openTestAudit(directory, { withinMs: 60_000 });
  await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      await audit.admit(subject(`call-${i}`), Buffer.from('{"a":1}'));
      expect(readFileSync(lastSegment(directory), 'utf8')).toContain(`"callId":"call-${i}"`);
    }),
  );
  await audit.written();
});

test('a record names who, what and how it ended, and no value', async () => {
  const directory = newFolder();
  const audit = await openTestAudit(directory, { mode: 'strict' });
  await record(audit, 'one');
  const denied = subject('two');
  audit.finish(denied, { ...END, outcome: 'denied', guard: 'policy', reason: 'not in\nthe evening' }, undefined);
  await audit.close();
  expect(await readAll(directory)).toMatchObject([
    { seq: 1, kind: 'start', version: '1' },
    {
      seq: 2,
      kind: 'admitted',
      callId: 'one',
      principal: { id: 'key:k1', kind: 'key', person: 'ann', agent: 'desktop', actors: ['bot'] },
      client: { name: 'test "client"', version: '1' },
      upstream: 'github',
      tool: 'create_issue',
      arguments: expect.stringMatching(/^[\w-]{43}$/),
    },
    { kind: 'outcome', callId: 'one', outcome: 'ok', ms: 1.5, result: expect.stringMatching(/^[\w-]{43}$/) },
    { kind: 'denied', callId: 'two', outcome: 'denied', guard: 'policy', reason: 'not in\nthe evening' },
    { kind: 'stop' },
    { kind: 'seal', chain: '0' },
  ]);
  const [, admitted, outcome, refused] = await readAll(directory);
  for (const first of [admitted, refused]) expect(first).toMatchObject({ snapshot: 1, requestBytes: 5 });
  for (const name of ['snapshot', 'requestBytes', 'toolDigest']) expect(outcome).not.toHaveProperty(name);
  expect(readFileSync(lastSegment(directory), 'utf8')).not.toContain('{"a":1}');
  expect(statSync(lastSegment(directory)).mode & 0o777).toBe(0o600);
});

test('values are kept when asked for, with what looks like a secret masked', async () => {
  const directory = newFolder();
  const audit = await openTestAudit(directory, { mode: 'strict', values: 'full' });
  await audit.admit(subject('one'), Buffer.from('{"city":"Paris","apiKey":"s3cret","header":"Bearer s3cretvalue"}'));
  await audit.close();
  const [, admitted] = await readAll(directory);
  expect(admitted).toMatchObject({ argumentsValue: { city: 'Paris', apiKey: '[redacted]' } });
  expect(JSON.stringify(admitted)).not.toContain('s3cret');
});

test('the chain goes on over restarts, over segments, and beside another writer', async () => {
  const directory = newFolder();
  for (let round = 0; round < 3; round++) {
    const audit = await openTestAudit(directory, { mode: 'strict', segmentBytes: 10_000 });
    const beside = await openTestAudit(directory, { mode: 'strict' });
    for (let i = 0; i < 60; i++) await record(audit, `${round}-${i}`);
    await record(beside, 'beside');
    await audit.close();
    await beside.close();
  }
  const reports = await verify(directory);
  expect(reports).toMatchObject([
    { chain: '0', bad: undefined, unsealed: 0 },
    { chain: '1', bad: undefined, unsealed: 0, segments: 1 },
  ]);
  expect(reports[0]!.segments).toBeGreaterThan(3);
  expect(reports[0]!.records).toBeGreaterThan(360);
});

test('half a record at the end is cut off, kept beside and told of', async () => {
  const directory = newFolder();
  const audit = await openTestAudit(directory, { mode: 'strict' });
  await record(audit, 'one');
  await audit.close();
  appendFileSync(lastSegment(directory), '{"seq":99,"prev":"abc');
  const next = await openTestAudit(directory, { mode: 'strict' });
  await record(next, 'two');
  await next.close();
  expect(await verify(directory)).toMatchObject([{ bad: undefined }]);
  expect(await readAll(directory)).toContainEqual(expect.objectContaining({ kind: 'cut', bytes: 21 }));
  expect(readdirSync(join(directory, '0')).some((name) => name.includes('.torn-'))).toBe(true);
});

test('a segment that was removed is noticed; put back, writing goes on', async () => {
  const directory = newFolder();
  const audit = await openTestAudit(directory);
  await untilTaken(audit);
  await waitFor(() => expect(segmentsIn(directory)).toHaveLength(1));
  const path = lastSegment(directory);
  renameSync(path, `${path}.moved`);
  await untilRefused(audit, /was removed/);
  renameSync(`${path}.moved`, path);
  await untilTaken(audit);
  await audit.close();
  expect(await verify(directory)).toMatchObject([{ bad: undefined }]);
  expect(await readAll(directory)).toContainEqual(
    expect.objectContaining({ kind: 'interrupted', reason: expect.stringContaining('was removed') }),
  );
});

test('a copy that is put back does as well', async () => {
  const directory = newFolder();
  const audit = await openTestAudit(directory, { mode: 'strict' });
  await record(audit, 'one');
  const path = lastSegment(directory);
  renameSync(path, `${path}.moved`);
  await untilRefused(audit, /was removed/);
  copyFileSync(`${path}.moved`, path);
  await untilTaken(audit);
  await audit.close();
  expect(await verify(directory)).toMatchObject([{ bad: undefined }]);
});

const TAMPERING: readonly (readonly [string, RegExp, (path: string) => void])[] = [
  ['removed', /was removed/, (path) => unlinkSync(path)],
  [
    'replaced',
    /was replaced|was removed/,
    (path) => {
      writeFileSync(`${path}.new`, readFileSync(path, 'utf8').replace('"one"', '"two"'));
      renameSync(`${path}.new`, path);
    },
  ],
  ['cut', /has \d+ bytes where/, (path) => truncateSync(path, 10)],
  ['added to', /has \d+ bytes where/, (path) => appendFileSync(path, 'x\n')],
  [
    'rewritten in place, size kept',
    /was rewritten/,
    (path) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace('"callId":"one"', '"callId":"two"'), { flag: 'r+' }),
  ],
];

test.each(TAMPERING)(
  'a segment that is %s under us: refused within a second, and after "audit repair" a hole is named',
  async (_, pattern, bend) => {
    const directory = newFolder();
    const audit = await openTestAudit(directory, { mode: 'strict' });
    await record(audit, 'one');
    bend(lastSegment(directory));
    await untilRefused(audit, pattern);
    writeFileSync(join(directory, '0', 'repair'), '');
    await untilTaken(audit);
    await audit.close();
    expect((await verify(directory))[0]?.bad).toBeDefined();
  },
);

test('a finished segment that is removed or rewritten is noticed too; a touched one is looked into and believed', async () => {
  const directory = newFolder();
  const audit = await openTestAudit(directory, { mode: 'strict', segmentBytes: 3_000 });
  await waitFor(async () => {
    await record(audit, 'one');
    expect(segmentsIn(directory).length).toBeGreaterThan(2);
  });
  const first = join(directory, '0', segmentsIn(directory).sort()[0]!);
  utimesSync(first, new Date(), new Date());
  const text = readFileSync(first, 'utf8');
  await untilTaken(audit);
  writeFileSync(first, text.replace('"callId":"one"', '"callId":"two"'));
  await untilRefused(audit, /was changed/);
  writeFileSync(first, text);
  await untilTaken(audit);
  unlinkSync(first);
  await untilRefused(audit, /was removed/);
  writeFileSync(first, text);
  await untilTaken(audit);
  await audit.close();
  expect(await verify(directory)).toMatchObject([{ bad: undefined }]);
});

test.runIf(process.platform === 'linux')(
  'a full disk: nothing is admitted, nothing is torn, and it goes on when there is room',
  async () => {
    const directory = newFolder();
    // Needs root, and fails without: a full disk that nobody tried is no full disk that holds.
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', directory]);
    onTestFinished(() => void execFileSync('umount', ['-l', directory]));
    const audit = await openTestAudit(directory, { mode: 'strict' });
    await record(audit, 'one');
    const filler = join(directory, 'filler');
    writeFileSync(filler, '');
    expect(() => {
      for (;;) appendFileSync(filler, 'x'.repeat(1_000));
    }).toThrow(/ENOSPC/);
    let admitted = 1;
    const refused = await waitFor(async () => {
      const problem = await record(audit, 'more').then(
        () => undefined,
        (error: unknown) => error,
      );
      if (problem === undefined) admitted++;
      expect(problem).toBeDefined();
      return problem;
    });
    expect(refused).toMatchObject({ code: 'unrecorded', message: expect.stringContaining('ENOSPC') });
    for (let i = 0; i < 50; i++) await expect(async () => record(audit, 'none')).rejects.toThrow(/ENOSPC/);
    unlinkSync(filler);
    await untilTaken(audit);
    await audit.close();
    expect(await verify(directory)).toMatchObject([{ bad: undefined }]);
    const all = await readAll(directory);
    expect(all).toContainEqual(expect.objectContaining({ kind: 'interrupted' }));
    expect(all.filter(({ callId }) => callId === 'none')).toEqual([]);
    expect(admitted).toBeGreaterThan(0);
  },
);

test('old segments are retired, and the chain still verifies', async () => {
  const directory = newFolder();
  const longAgo = Date.now() - 40 * 86_400_000;
  const audit = await openTestAudit(directory, { mode: 'strict', segmentBytes: 3_000, clock: { now: () => longAgo } });
  await waitFor(async () => {
    await record(audit, 'one');
    expect(segmentsIn(directory).length).toBeGreaterThan(2);
  });
  await audit.close();
  const first = join(directory, '0', segmentsIn(directory).sort()[0]!);
  utimesSync(first, new Date(longAgo), new Date(longAgo));
  const next = await openTestAudit(directory, { mode: 'strict', keepDays: 30 });
  await waitFor(() => expect(existsSync(first)).toBe(false));
  await record(next, 'two');
  await next.close();
  expect(await verify(directory)).toMatchObject([{ bad: undefined }]);
  expect(await readAll(directory)).toContainEqual(expect.objectContaining({ kind: 'retired' }));
});

test('a segment that cannot be continued after a start: "audit repair" begins another', async () => {
  const directory = newFolder();
  const first = await openTestAudit(directory, { mode: 'strict' });
  await record(first, 'one');
  await first.close();
  const audit = await openTestAudit(directory, { mode: 'strict' });
  appendFileSync(lastSegment(directory), 'x');
  await untilRefused(audit, /bytes and not/);
  expect(segmentsIn(directory)).toHaveLength(1);
  writeFileSync(join(directory, '0', 'repair'), '');
  await untilTaken(audit);
  expect(segmentsIn(directory)).toHaveLength(2);
});
