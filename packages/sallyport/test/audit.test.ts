import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway, type WrittenConfig } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const MAIN = fileURLToPath(new URL('../bin/sallyport.js', import.meta.url));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `sallyport audit …` beside a gateway, running or not. */
function audit(gateway: RunningGateway, ...words: string[]): Promise<Ran> {
  const { configFile, stateDir } = gateway.process;
  const argv = [MAIN, 'audit', ...words, '--config', configFile];
  const env = { ...process.env, SALLYPORT_STATE: stateDir };
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { env, maxBuffer: 64_000_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** Waits until `look` says yes. */
const until = (look: () => unknown) => waitFor(async () => expect(await look()).toBeTruthy());

/** The upstream counts; strict unless said otherwise. */
async function start(config: Record<string, unknown> = { mode: 'strict' }) {
  const executed: string[] = [];
  const upstream = await startHttpUpstream({
    behave(message) {
      const given = (message.params as { arguments?: { id?: string } } | undefined)?.arguments;
      if (message.method === 'tools/call') executed.push(given?.id ?? '');
      return false;
    },
  });
  const written = { audit: config, mcpServers: { up: { url: upstream.url } } } as WrittenConfig;
  const gateway = await startGateway(written, ['--no-call-log']);
  return { gateway, executed, upstream, client: await new PlainClient(gateway).initialize() };
}

const segments = (gateway: RunningGateway): string[] => {
  const folder = join(gateway.process.stateDir, 'audit', '0');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(folder, name));
};

const recordsOf = (gateway: RunningGateway): Record<string, unknown>[] =>
  segments(gateway).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  );

describe('the record of calls', () => {
  it('names who called what and how it ended, and can be verified, searched, exported and followed', async () => {
    const { gateway, client } = await start();
    expect(textOf(await client.call('up_echo', { id: 'secret-value' }))).toBeDefined();
    await client.call('up_nothing');
    await client.callModern('up_echo', {});
    const search = await audit(gateway, 'search', '--json', '--tool', 'echo', '--outcome', 'ok', '--since', '1h');
    expect(JSON.parse(search.stdout).calls).toMatchObject([
      { principal: { id: 'local', kind: 'key' }, upstream: 'up', tool: 'echo', outcome: 'ok' },
      { tool: 'echo', client: { name: 'test' } },
    ]);
    const failed = await audit(gateway, 'search', '--outcome', 'failed');
    expect(failed.stdout).toContain('Unknown tool: up_nothing');
    const csv = await audit(gateway, 'export', '--format', 'csv');
    expect(csv.stdout.split('\r\n')[1]).toMatch(/^0,1,\d{4}-.*,start,/);
    const jsonl = await audit(gateway, 'export');
    expect(jsonl.stdout).not.toContain('secret-value');
    await gateway.process.stop();
    const verified = await audit(gateway, 'verify');
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^chain 0: good, \d+ records/) });
    const last = /0:\d+:[\w-]{43}/.exec(verified.stdout)![0];
    expect((await audit(gateway, 'verify', '--expect', last)).code).toBe(0);
    expect((await audit(gateway, 'verify', '--help')).code).toBe(0);
  });

  it('a bent record is named, with exit code 1', async () => {
    const { gateway, client } = await start();
    for (let i = 0; i < 5; i++) await client.call('up_echo', { id: `${i}` });
    await gateway.process.stop();
    const file = segments(gateway)[0]!;
    const lines = readFileSync(file, 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('"kind":"admitted"'));
    writeFileSync(
      file,
      lines.map((line, i) => (i === at ? line.replace('"tool":"echo"', '"tool":"ecco"') : line)).join('\n'),
    );
    const { code, stdout } = await audit(gateway, 'verify', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, chains: [{ bad: { seq: at + 1 } }] });
  });
});

describe('no record, no call', () => {
  it('a segment that is moved away: refused soon with a clear error, taken again when it is back', async () => {
    const { gateway, client, executed } = await start({ mode: 'batched' });
    await client.call('up_echo', { id: 'a' });
    await until(() => recordsOf(gateway).some(({ kind }) => kind === 'outcome'));
    const file = segments(gateway)[0]!;
    renameSync(file, `${file}.moved`);
    let refusal: unknown;
    await until(async () => {
      const answer = await client.call('up_echo', { id: 'probe' });
      refusal = (answer as { error?: { message?: string } }).error?.message;
      return refusal !== undefined;
    });
    expect(refusal).toMatch(/could not be recorded: .* was removed/);
    const before = executed.length;
    await client.call('up_echo', { id: 'b' });
    expect(executed.length).toBe(before);
    renameSync(`${file}.moved`, file);
    await until(async () => textOf(await client.call('up_echo', { id: 'c' })) !== undefined);
    await gateway.process.stop();
    expect((await audit(gateway, 'verify')).code).toBe(0);
    expect(recordsOf(gateway).filter(({ kind }) => kind === 'admitted').length).toBeGreaterThanOrEqual(executed.length);
  });
});
