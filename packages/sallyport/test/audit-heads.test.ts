import { cpSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { rest } from './approvals-set-up.ts';
import { cli } from './cli-terminal.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, type RunningGateway, startGateway, type WrittenConfig } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const chainIn = (state: string) => join(state, 'audit', '0');
const segmentsIn = (state: string) => readdirSync(chainIn(state)).filter((name) => name.endsWith('.jsonl'));
const damagedIn = (state: string) =>
  segmentsIn(state).flatMap((name) =>
    readFileSync(join(chainIn(state), name), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"kind":"damaged"')),
  );

/** What somebody may do to the files of a Sallyport that is stopped. */
const TAMPERING: readonly (readonly [string, (state: string) => void])[] = [
  [
    'the segment emptied and the head removed',
    (state) => {
      for (const name of segmentsIn(state)) truncateSync(join(chainIn(state), name));
      rmSync(join(chainIn(state), 'head.json'));
    },
  ],
  ['all files removed', (state) => rmSync(join(state, 'audit'), { recursive: true })],
  [
    'an older copy of the folder put back',
    (state) => {
      rmSync(join(state, 'audit'), { recursive: true });
      cpSync(lived.older, join(state, 'audit'), { recursive: true });
    },
  ],
];

const call = async (gateway: RunningGateway) => textOf(await new PlainClient(gateway).callModern('up_echo', {}));

/** The state directory after two lives of a Sallyport, with calls in both; and its audit after the first. */
const lived = { state: '', older: '', upstream: '' };

beforeAll(async () => {
  const upstream = await startHttpUpstream();
  Object.assign(lived, { state: newTestFolder(), older: join(newTestFolder(), 'older'), upstream: upstream.url });
  for (const life of ['first', 'second']) {
    const gateway = await startOn(lived.state);
    expect(await call(gateway)).toBe('echo done');
    await gateway.process.stop();
    if (life === 'first') cpSync(join(lived.state, 'audit'), lived.older, { recursive: true });
  }
});

const configOf = (settings: Record<string, unknown>) =>
  ({ audit: settings, mcpServers: { up: { url: lived.upstream } } }) as WrittenConfig;

const startOn = (state: string, settings: Record<string, unknown> = {}) =>
  startGateway(configOf(settings), ['--no-call-log'], { SALLYPORT_STATE: state });

function copyOfState(): string {
  const state = join(newTestFolder(), 'state');
  cpSync(lived.state, state, { recursive: true });
  return state;
}

/** One command line beside, or without, a Sallyport on this state directory. */
async function sallyport(state: string, words: readonly string[], settings: Record<string, unknown> = {}) {
  const file = join(newTestFolder(), 'sallyport.json');
  writeFileSync(file, JSON.stringify(configOf(settings)));
  return cli([...words, '--config', file], { env: { SALLYPORT_STATE: state } });
}

const VERIFY = ['audit', 'verify'];
const REPAIR = ['audit', 'repair'];

describe.each(TAMPERING)('while Sallyport is stopped, %s', (_, tamper) => {
  it('is named by "audit verify" and reported by the next start', async () => {
    const state = copyOfState();
    expect(await sallyport(state, VERIFY)).toMatchObject({ exit: 0 });
    tamper(state);
    const verified = await sallyport(state, VERIFY);
    expect(verified).toMatchObject({ exit: 1, stdout: expect.stringMatching(/chain 0: BAD, .*the database/) });
    const next = await startOn(state);
    await next.process.logged(/the audit is damaged/);
    const health = await rest(next, 'GET', '/health');
    expect(health.body).toMatchObject({ ok: false, audit: { damage: expect.stringContaining('chain 0: ') } });
    const doctor = await sallyport(state, ['doctor']);
    expect(doctor.stdout).toMatch(/audit.*\n?.*are missing/);
    expect(await call(next)).toBe('echo done');
    await waitFor(() => expect(damagedIn(state)).toHaveLength(1));
    await sallyport(state, REPAIR);
    expect((await rest(next, 'GET', '/health')).body).toMatchObject({ ok: true, audit: { damage: null } });
    await next.process.stop();
    // The hole is named for good.
    expect(await sallyport(state, VERIFY)).toMatchObject({ exit: 1 });
  });

  it('lets no call leave in mode strict, until "audit repair"', async () => {
    const state = copyOfState();
    tamper(state);
    const next = await startOn(state, { mode: 'strict' });
    expect(await new PlainClient(next).callModern('up_echo', {})).toMatchObject({
      error: { message: expect.stringMatching(/could not be recorded: .* are missing/) },
    });
    expect((await rest(next, 'GET', '/health')).body).toMatchObject({ audit: { trouble: expect.any(String) } });
    await sallyport(state, REPAIR);
    await waitFor(async () => expect(await call(next)).toBe('echo done'));
    await next.process.stop();
    expect(await sallyport(state, VERIFY)).toMatchObject({ exit: 1 });
  });
});

describe('after files were moved away while Sallyport was stopped', () => {
  it('a start in mode strict with all of them back is as before', async () => {
    const state = copyOfState();
    const chain = chainIn(state);
    renameSync(chain, `${chain}.moved`);
    const troubled = await startOn(state, { mode: 'strict' });
    await troubled.process.logged(/the audit is damaged/);
    await troubled.process.stop();
    rmSync(chain, { recursive: true });
    renameSync(`${chain}.moved`, chain);
    const next = await startOn(state, { mode: 'strict' });
    expect(await call(next)).toBe('echo done');
    await next.process.stop();
    expect(await sallyport(state, VERIFY)).toMatchObject({ exit: 0 });
  });

  it('"audit repair" closes the case: a new chain begins', async () => {
    const state = copyOfState();
    renameSync(join(state, 'audit'), join(state, 'closed'));
    await sallyport(state, REPAIR);
    const next = await startOn(state, { mode: 'strict' });
    expect(await call(next)).toBe('echo done');
    await next.process.stop();
    const verified = await sallyport(state, VERIFY);
    expect(verified).toMatchObject({ exit: 0, stdout: expect.stringContaining('(1 to ') });
  });
});

describe('an anchor', () => {
  it('names an older copy of the whole state directory; without one, "audit verify" says what it cannot know', async () => {
    const state = copyOfState();
    const file = join(newTestFolder(), 'heads.jsonl');
    const anchor = { anchor: `file:${file}` };
    const next = await startOn(state, anchor);
    expect(await call(next)).toBe('echo done');
    await next.process.stop();
    const good = await sallyport(state, VERIFY, anchor);
    expect(good).toMatchObject({ exit: 0, stderr: expect.not.stringContaining('Without an anchor') });
    const older = copyOfState();
    const bad = await sallyport(older, VERIFY, anchor);
    expect(bad).toMatchObject({ exit: 1, stdout: expect.stringMatching(/chain 0: BAD, .*the anchor/) });
    expect(await sallyport(older, [...VERIFY, '--anchor', file])).toMatchObject({ exit: 1 });
    const unanchored = await sallyport(older, VERIFY);
    expect(unanchored).toMatchObject({ exit: 0, stderr: expect.stringContaining('Without an anchor') });
  });
});
