import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { toCacheKey } from '../src/upstream/program/find-npm-package.ts';
import { cli } from './cli-terminal.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const SERVER = fileURLToPath(new URL('fixtures/upstream-stdio.mjs', import.meta.url));

function operator({ process }: RunningGateway, ...args: string[]) {
  const env = { SALLYPORT_STATE: process.stateDir, SALLYPORT_CONFIG: process.configFile };
  return cli(args, { env, cwd: process.folder });
}

async function approve(gateway: RunningGateway) {
  const { digest } = (await operator(gateway, 'pin', 'diff', 'notes', 'program', '--json')).json() as {
    digest: string;
  };
  return operator(gateway, 'pin', 'approve', 'notes', 'program', '--digest', digest);
}

/** A server in a file of its own, which a test changes. */
function writeScript(): { file: string; change(): void } {
  const file = join(newTestFolder(), 'notes.mjs');
  copyFileSync(SERVER, file);
  return { file, change: () => writeFileSync(file, `${readFileSync(file, 'utf8')}// changed\n`) };
}

const settings = (notes: Record<string, unknown>, pins?: Record<string, unknown>) => ({
  ...(pins === undefined ? {} : { pins }),
  mcpServers: { notes: { ...notes, breaker: { failures: 100 } } },
});

const run = (file: string) => ({ command: process.execPath, args: [file, '{}'] });

const startedWith = async (...setUp: Parameters<typeof startGateway>) => {
  const gateway = await startGateway(...setUp);
  const client = await new PlainClient(gateway).initialize();
  const call = async () => {
    const answer = await client.call('notes_count');
    return answer.error?.message ?? textOf(answer);
  };
  return { gateway, client, call };
};

it('laptop: a changed file is not started until somebody approves it', async () => {
  const { file, change } = writeScript();
  const { gateway, call } = await startedWith(settings(run(file)));
  expect(await call()).toBe('counted');
  expect((await operator(gateway, 'pin', 'list', 'notes', '--json')).json()).toMatchObject({
    pins: expect.arrayContaining([expect.objectContaining({ item: 'program', state: 'approved' })]),
  });

  change();
  expect(await call()).toBe('counted');
  await operator(gateway, 'server', 'restart', 'notes');
  const refused = await waitFor(async () => {
    const text = await call();
    expect(text).toContain('is not started');
    return text;
  });
  expect(refused).toMatch(
    /its program is not the approved one: file:notes\.mjs \(sha256:\w{12}\) now, file:notes\.mjs \(sha256:\w{12}\) before.*A person has to approve it \(server notes, program\)/,
  );
  expect((await operator(gateway, 'server', 'list', '--json')).stdout).toContain('is not started');
  await waitFor(async () =>
    expect((await operator(gateway, 'pin', 'diff', 'notes', 'program', '--json')).json()).toMatchObject({
      items: [{ item: 'program', state: 'changed', weight: 'major', changes: [{ path: '/digest' }] }],
    }),
  );
  // What need not be read does not include other code.
  expect((await operator(gateway, 'pin', 'approve', 'notes', '--minor', '--json')).json()).toMatchObject({
    approved: [],
  });
  expect(await approve(gateway)).toMatchObject({ exit: 0 });
  await waitFor(async () => expect(await call()).toBe('counted'));

  // A refusal ends what runs.
  await operator(gateway, 'pin', 'reject', 'notes', 'program');
  await waitFor(async () => expect(await call()).toContain('its program was rejected'));
  // Each try to start it had the same to say.
  const said = gateway.process.stderr
    .split('\n')
    .filter((line) => line.includes('its program is not the approved one'));
  const kinds = said.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((kind) => kind !== 'call');
  expect(kinds).toContain('Connecting failed');
  expect(new Set(kinds).size).toBe(kinds.length);
});

it('what a command without an exact version fetched at its start is held, too', async () => {
  const home = newTestFolder();
  const place = join(home, 'cache/_npx', toCacheKey('notes'), 'node_modules/notes');
  const write = (name: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(name), { recursive: true });
    writeFileSync(name, text, { mode });
  };
  write(join(place, 'package.json'), JSON.stringify({ name: 'notes', version: '1.0.0' }));
  write(join(place, 'index.mjs'), readFileSync(SERVER, 'utf8'));
  const noted = { packages: { 'node_modules/notes': { version: '1.0.0' } } };
  write(join(dirname(place), '.package-lock.json'), JSON.stringify(noted));
  // Stands for npx that finds a newer version in the registry.
  const newest = join(home, 'newest.json');
  const npx = join(home, 'bin/npx');
  write(
    npx,
    `#!/bin/sh\n[ -f ${newest} ] && cp ${newest} ${place}/package.json\nexec ${process.execPath} ${place}/index.mjs '{}'\n`,
    0o755,
  );
  const notes = { command: npx, args: ['-y', 'notes'], env: { npm_config_cache: join(home, 'cache') } };
  const { gateway, call } = await startedWith(settings(notes));
  expect(await call()).toBe('counted');

  write(newest, JSON.stringify({ name: 'notes', version: '1.0.1' }));
  await operator(gateway, 'server', 'restart', 'notes');
  await waitFor(async () =>
    expect(await call()).toMatch(/npm:notes@1\.0\.1 \(.*\) now, npm:notes@1\.0\.0 \(.*\) before/),
  );
  const shown = await operator(gateway, 'pin', 'diff', 'notes', 'program');
  expect(shown.stdout).toMatch(/no exact version is asked for/);
});

it('team: nothing is started before somebody approved it', async () => {
  const { file } = writeScript();
  const { gateway, client, call } = await startedWith(settings(run(file), { mode: 'team' }));
  const { result } = await client.request('tools/list');
  expect(result?.['tools']).toEqual([]);
  expect(gateway.process.stderr).not.toContain('Child started');
  await waitFor(async () => expect(await approve(gateway)).toMatchObject({ exit: 0 }));
  await gateway.process.logged(/Child started/);
  await waitFor(async () => expect(await call()).toMatch(/nobody has approved it yet/));
});

it('locked: only what the lock file names, and nothing that cannot be told', async () => {
  const { file, change } = writeScript();
  const lockFile = join(newTestFolder(), 'sallyport.lock.json');
  const first = await startedWith(settings(run(file)));
  expect(await first.call()).toBe('counted');
  await waitFor(async () =>
    expect(await operator(first.gateway, 'pin', 'lock', '--out', lockFile)).toMatchObject({ exit: 0 }),
  );
  expect(readFileSync(lockFile, 'utf8')).toMatch(/"program": "sha256:/);
  await first.gateway.process.stop();

  const locked = { mode: 'locked', lockFile };
  const home = newTestFolder();
  const config = join(home, 'sallyport.json');
  writeFileSync(config, JSON.stringify(settings(run(file), locked)));
  const verify = () =>
    cli(['pin', 'verify', '--json'], { env: { SALLYPORT_CONFIG: config, SALLYPORT_STATE: home }, cwd: home });
  expect((await verify()).json()).toMatchObject({ matches: true });
  const second = await startedWith(settings(run(file), locked));
  expect(await second.call()).toBe('counted');
  change();
  await operator(second.gateway, 'server', 'restart', 'notes');
  await waitFor(async () => expect(await second.call()).toContain('is not the approved one'));

  expect((await verify()).json()).toMatchObject({
    matches: false,
    differences: [{ server: 'notes', item: 'program', problem: 'changed' }],
  });

  const shell = { command: 'sh', args: ['-s'], env: {} };
  const third = await startedWith(settings(shell, locked));
  expect(await third.call()).toMatch(/Unknown tool|nobody can tell what its command runs/);
  await third.gateway.process.logged(/nobody can tell what its command runs/);
});

it('is not looked at where the operator says so', async () => {
  const { file, change } = writeScript();
  const { gateway, call } = await startedWith(settings(run(file), { programs: false }));
  expect(await call()).toBe('counted');
  change();
  await operator(gateway, 'server', 'restart', 'notes');
  await waitFor(async () => expect(await call()).toBe('counted'));
});
