import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { HearingSink, stdioSettings } from '../../test/stdio-child.ts';
import type { ServerSettings } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { createIsolation, probeIsolation } from './isolation.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

const SECRET = 'sp_of-the-operator';
const isRoot = process.getuid?.() === 0;
const { kind } = await probeIsolation('/nowhere');

let supervisor: Supervisor | undefined;
afterEach(async () => {
  await supervisor?.close();
  vi.restoreAllMocks();
});

/** A state directory with secrets, beside other files. */
function setUp() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-isolation-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const state = join(folder, 'state');
  mkdirSync(join(state, 'audit'), { recursive: true });
  for (const name of ['key', 'seal-key', 'control-token', 'sallyport.db', 'sallyport.db-wal', 'audit/0'])
    writeFileSync(join(state, name), SECRET);
  writeFileSync(join(folder, 'notes'), 'notes');
  return { folder, state };
}

function start(settings: ServerSettings, state: string, environment?: Record<string, string>) {
  const isolate = createIsolation(state);
  const given = environment === undefined ? {} : { environment };
  supervisor = createSupervisor({ log: silentLog, clock: systemClock, isolate, ...given });
  const sink = new HearingSink();
  return { sink, wire: supervisor.openWire(settings, sink) };
}

/** What a server's shell script writes. */
async function said(script: string, state: string, own: Parameters<typeof stdioSettings>[2] = {}): Promise<string> {
  const out = join(mkdtempSync(join(tmpdir(), 'sallyport-isolation-')), 'out');
  onTestFinished(() => rmSync(join(out, '..'), { recursive: true }));
  const { sink, wire } = start(
    stdioSettings('/bin/sh', ['-c', `( ${script} ) > ${out} 2>&1; echo '{"end":1}'; cat`], own),
    state,
  );
  await wire;
  await sink.until(() => sink.messages.length > 0);
  return readFileSync(out, 'utf8');
}

describe.skipIf(kind !== 'works').each([
  ['of root', 0],
  ['of a user', 1000],
])('a child %s', (_, uid) => {
  const asUser = () => vi.spyOn(process, 'getuid').mockReturnValue(uid);
  const pid = process.pid;

  test('keeps a file of its own in the state directory, that its entry names', async () => {
    asUser();
    const { state } = setUp();
    const file = join(state, 'memory.jsonl');
    writeFileSync(file, 'before ');
    const own = { env: { MEMORY_FILE_PATH: file } };
    const write = `cat ${file}; echo after > ${file}.tmp && mv ${file}.tmp ${file}; ls -A ${state}; cat ${state}/key`;
    expect(await said(write, state, own)).toMatch(/^before memory\.jsonl\ncat: .*key.*No such file/);
    await supervisor?.close();
    expect(await said(`cat ${file}`, state, own)).toBe('after\n');
  });

  test.each<[what: string, script: (state: string) => string]>([
    ['reads the key', (state) => `cat ${state}/key`],
    ['reads every file', (state) => `cat ${state}/* ${state}/*/* ${state}/.*`],
    ['goes through the root of Sallyport', (state) => `cat /proc/${pid}/root${state}/key`],
    [
      'goes through the working directory of Sallyport',
      (state) => `cat /proc/${pid}/cwd/../../../../../../..${state}/key`,
    ],
    [
      'goes through its parents',
      (state) => `p=$$; while [ $p -gt 1 ]; do cat /proc/$p/root${state}/key; p=$(cut -d' ' -f4 < /proc/$p/stat); done`,
    ],
    ['goes through a link', (state) => `ln -s ${state} ${state}-link; cat ${state}-link/key`],
    ['unmounts what hides it', (state) => `umount ${state}; umount -l ${state}; cat ${state}/key`],
    ['unmounts it in a namespace of its own', (state) => `unshare -rm sh -c 'umount ${state}; cat ${state}/key'`],
    ['enters the namespace of Sallyport', (state) => `nsenter -t ${pid} -m cat ${state}/key`],
    ['mounts it elsewhere', (state) => `mkdir ${state}-b; mount --bind ${state} ${state}-b; cat ${state}-b/key`],
    ['moves the folder around it', (state) => `mv ${state} ${state}-c; cat ${state}-c/key`],
    [
      'attaches to the bubblewrap that waits',
      () =>
        `python3 -c "import ctypes, sys; sys.exit(ctypes.CDLL(None).ptrace(16, $PPID, 0, 0) != 0)" && echo ${SECRET}`,
    ],
    ['reads the environment of Sallyport', () => `cat /proc/${pid}/environ && echo ${SECRET}`],
    ['opens the memory of Sallyport', () => `exec 9< /proc/${pid}/mem && echo ${SECRET}`],
  ])('gets nothing when it %s', async (_what, script) => {
    asUser();
    const { state } = setUp();
    expect(await said(script(state), state)).not.toContain(SECRET);
    expect(readFileSync(join(state, 'key'), 'utf8')).toBe(SECRET);
  });

  test('cannot put files there, and is told so', async () => {
    asUser();
    const { state } = setUp();
    expect(await said(`echo x > ${state}/key; echo x > ${state}/new`, state)).toMatch(/^(?:.*Read-only.*\n){2}$/);
    expect(readFileSync(join(state, 'key'), 'utf8')).toBe(SECRET);
  });

  test.each<[what: string, script: (at: { folder: string; state: string }) => string, expected: RegExp]>([
    ['reads other files', ({ folder }) => `cat ${folder}/notes`, /^notes$/],
    ['writes beside the state directory', ({ folder }) => `echo x > ${folder}/new && cat ${folder}/new`, /^x\n$/],
    ['starts in the working directory', () => 'pwd -P', new RegExp(`^${process.cwd()}\n$`)],
    ['has shared memory', () => 'f=$(mktemp -p /dev/shm) && echo x > $f && cat $f && rm $f', /^x\n$/],
    ['has devices', () => 'head -c 4 /dev/zero | wc -c; echo x > /dev/null', /^4\n$/],
    ['sees other processes', () => `cat /proc/${pid}/comm`, /\w/],
    ['has the same limits and mask', () => 'ulimit -n; umask', /^\d+\n0\d+\n$/],
    ['has its files for itself', ({ folder }) => `stat -c %u ${folder}/notes`, new RegExp(`^${process.getuid?.()}\n$`)],
  ])('notices nothing when it %s', async (_what, script, expected) => {
    asUser();
    const at = setUp();
    expect(await said(script(at), at.state)).toMatch(expected);
  });

  test('has the environment and the descriptors that it would have', async () => {
    asUser();
    const { state } = setUp();
    const script = `echo "{\\"has\\":\\"$(tr '\\0\\n' '  ' < /proc/$$/environ) $(ls /proc/$$/fd | tr '\\n' ' ')\\"}"; cat`;
    const seen: unknown[] = [];
    for (const isolation of ['off', 'required'] as const) {
      const { sink, wire } = start({ ...stdioSettings('/bin/sh', ['-c', script]), isolation }, state, { A: 'b' });
      await wire;
      await sink.until(() => sink.messages.length > 0);
      seen.push(JSON.parse(sink.texts[0] ?? ''));
      await supervisor?.close();
    }
    expect(seen[0]).toMatchObject({ has: expect.stringMatching(/ 0 1 2 /) });
    expect(seen[1]).toEqual(seen[0]);
  });

  test('reaches the network of this machine', async () => {
    asUser();
    const server = createServer((_request, response) => response.end('here')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { state } = setUp();
    const script = `"${process.execPath}" -e "fetch('http://127.0.0.1:${port}').then((r) => r.text()).then(console.log)"`;
    expect(await said(script, state)).toContain('here');
  });

  test('leads its group, ends on SIGTERM in its own time, and its exit code is its own', async () => {
    asUser();
    const { state } = setUp();
    const server = `process.on('SIGTERM', () => setTimeout(() => process.exit(7), 100));
      process.stdin.resume(); setInterval(() => {}, 1000);
      const [pid, , , , group, session] = require('fs').readFileSync('/proc/self/stat', 'utf8').split(' ');
      console.log(JSON.stringify({ pid, group, session }))`;
    const { sink, wire } = start(stdioSettings(process.execPath, ['-e', server]), state);
    const opened = await wire;
    await sink.until(() => sink.messages.length > 0);
    const [own] = supervisor?.pids('subject') ?? [];
    expect(JSON.parse(sink.texts[0] ?? '')).toEqual({ pid: `${own}`, group: `${own}`, session: `${own}` });
    await opened.close();
    expect(supervisor?.report('subject')).toMatchObject({ pid: own, exit: { code: 7, planned: true } });
  });

  test('that is started from the state directory finds its files there', async () => {
    asUser();
    const { state } = setUp();
    mkdirSync(join(state, 'server'));
    writeFileSync(join(state, 'server', 'data'), 'data');
    const seen = `cat server/data; ls ${state}; echo x > server/new && cat server/new`;
    expect(await said(seen, state, { cwd: state })).toBe('dataserver\nx\n');
    expect(readFileSync(join(state, 'server', 'new'), 'utf8')).toBe('x\n');
    expect(await said(`ls ${state}`, state)).toContain('server');
    expect(await said('ls "$WHERE/.."; cat "$WHERE/data"', state, { env: { WHERE: join(state, 'server') } })).toBe(
      'server\ndata',
    );
  });

  test('that is told of a link to the state directory sees nothing behind it', async () => {
    asUser();
    const { folder, state } = setUp();
    symlinkSync(state, join(folder, 'link'));
    expect(await said(`cat ${folder}/link/key`, join(folder, 'link'))).not.toContain(SECRET);
  });
});

describe('where bubblewrap is missing', () => {
  test('a child is started as it is, or refused where it is required', async () => {
    vi.stubEnv('PATH', '/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { state } = setUp();
    expect(await probeIsolation(state)).toEqual({
      kind: expect.stringMatching(/missing|elsewhere/),
      reason: expect.any(String),
    });
    expect(await said('echo here', state)).toBe('here\n');
    const settings = { ...stdioSettings(process.execPath, []), isolation: 'required' } as const;
    await expect(start(settings, state).wire).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('it has to run isolated, and bubblewrap'),
    });
  });

  test.skipIf(process.platform !== 'linux')('one that fails is no isolation', async () => {
    const { folder, state } = setUp();
    writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\necho "No permissions to create new namespace" >&2; exit 1\n', {
      mode: 0o755,
    });
    vi.stubEnv('PATH', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await probeIsolation(state)).toMatchObject({
      kind: 'broken',
      reason: expect.stringContaining('No permissions to create new namespace'),
    });
    // It starts programs and hides nothing.
    writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n', {
      mode: 0o755,
    });
    expect(await probeIsolation(state)).toMatchObject({ kind: 'broken' });
  });
});

test.skipIf(kind !== 'works')('a server may be left out, and sees the directory', async () => {
  const { state } = setUp();
  const settings = {
    ...stdioSettings('/bin/sh', ['-c', `echo "{\\"key\\":\\"$(cat ${state}/key)\\"}"; cat`]),
    isolation: 'off',
  } as const;
  const { sink, wire } = start(settings, state);
  await wire;
  await sink.until(() => sink.messages.length > 0);
  expect(JSON.parse(sink.texts[0] ?? '')).toEqual({ key: SECRET });
});

describe.skipIf(process.platform !== 'linux')('a child of another user', () => {
  const as = (user: string): ServerSettings => ({ ...stdioSettings('/bin/sh', ['-c', 'exit']), user });

  test.skipIf(!isRoot)('is that user, at home where that user is, and reads no secret', async () => {
    const { folder, state } = setUp();
    const line =
      readFileSync('/etc/passwd', 'utf8')
        .split('\n')
        .find((one) => one.startsWith('nobody:')) ?? '';
    const [, , uid, gid, , home] = line.split(':');
    const script = `echo "{\\"is\\":\\"$(id -u) $(id -g) $(id -G) $HOME $USER $XDG_STATE_HOME\\",\\"key\\":\\"$(cat ${state}/key 2>&1)\\"}"; cat`;
    for (const user of ['nobody', uid ?? '']) {
      const settings = { ...stdioSettings('/bin/sh', ['-c', script], { cwd: '/' }), user };
      const { sink, wire } = start(settings, state, {
        PATH: process.env['PATH'] ?? '',
        HOME: '/root',
        XDG_STATE_HOME: folder,
      });
      await wire;
      await sink.until(() => sink.messages.length > 0);
      const { is, key } = JSON.parse(sink.texts[0] ?? '') as { is: string; key: string };
      expect(is.trim()).toBe(`${uid} ${gid} ${gid} ${home} nobody`);
      expect(key).toContain('Permission denied');
      await supervisor?.close();
    }
  });

  test.each([
    ['nobody', 1000, /is to run as the user "nobody", which only a Sallyport that runs as root on Linux can do/],
    ['no-such-user', 0, /there is no user "no-such-user" in \/etc\/passwd/],
    ['root', 0, /the user "root" is root/],
  ])('is refused with the reason: %s', async (user, uid, message) => {
    vi.spyOn(process, 'getuid').mockReturnValue(uid);
    const { state } = setUp();
    await expect(start(as(user), state).wire).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(message),
    });
  });
});
