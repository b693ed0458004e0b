import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { misbehaving, SallyportProcess } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const node = (script: string) => ({ command: process.execPath, args: ['-e', script] });
const BROKEN = {
  missing: { command: 'no-such-command-here' },
  exits: node('console.error("no API key is set"); process.exit(1)'),
  refused: { url: 'http://127.0.0.1:1/mcp' },
  silent: { ...node('setTimeout(() => {}, 100_000)'), startTimeoutMs: 300 },
};

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly upstream?: string;
  readonly reason?: string;
}

function linesOf({ stderr }: SallyportProcess): readonly Line[] {
  const whole = stderr.slice(0, stderr.lastIndexOf('\n') + 1);
  return whole.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));
}

describe('the log of a start', () => {
  it('reports each fault once, however often and for how many lists it is met', async () => {
    const started = new SallyportProcess({ mcpServers: { ...BROKEN, good: misbehaving({ tools: ['echo'] }) } }, [
      ...['up', '--port', '0', '--log-level', 'debug'],
    ]);
    const about = (name: string) => linesOf(started).filter(({ upstream }) => upstream === name);
    for (const name of Object.keys(BROKEN)) {
      const tries = () => about(name).filter(({ msg }) => msg === 'Connecting failed');
      await waitFor(() => expect(tries().length).toBeGreaterThan(1));
    }
    for (const name of Object.keys(BROKEN)) {
      const said = about(name).filter(({ level }) => level === 'warn' || level === 'error');
      expect(said, name).toHaveLength(1);
      expect(said[0]).toMatchObject({ msg: 'Connecting failed', reason: expect.any(String) });
    }
    expect(about('good').filter(({ level }) => level === 'warn')).toEqual([]);
    await started.stop();
    const atTheEnd = linesOf(started).filter(({ level }) => level === 'warn' || level === 'error');
    expect(atTheEnd).toHaveLength(Object.keys(BROKEN).length);
  });

  it('reports the end of a server that worked once', async () => {
    const server = node(
      `const { createInterface } = require('node:readline');
       createInterface({ input: process.stdin }).on('line', (line) => {
         const { id, method } = JSON.parse(line);
         const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
         const answer = method === 'initialize' ? { result } : { error: { code: -32601, message: 'unknown' } };
         if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
         if (method === 'notifications/initialized') setTimeout(() => process.exit(3), 200);
       });`,
    );
    const started = new SallyportProcess({ mcpServers: { mortal: server } }, ['up', '--port', '0']);
    await started.logged(/"msg":"Child died"/);
    const said = linesOf(started).filter(({ msg }) => msg === 'A connection ended' || msg === 'Child died');
    expect(said).toHaveLength(1);
  });
});

describe('what a start prints', () => {
  it('names the file of the key, and never the key', async () => {
    const started = new SallyportProcess({}, ['up', '--port', '0']);
    await started.until(() => started.stdout.includes('Ctrl-C ends it.'));
    await started.stop();
    const file = join(started.stateDir, 'key');
    const key = readFileSync(file, 'utf8').trim();
    expect(started.stdout).toContain(`in the file ${file}`);
    expect(started.stdout + started.stderr).not.toContain(key);
    // Without a terminal there is nothing but text.
    expect(started.stdout).not.toContain('\u001b');
  });

  it.each(['--show-key', '--json'])('has the key with %s', async (flag) => {
    const started = new SallyportProcess({}, ['up', '--port', '0', flag]);
    await started.until(() => started.stdout.includes('sp_') && started.stdout.endsWith('\n'));
    await started.stop();
    const key = readFileSync(join(started.stateDir, 'key'), 'utf8').trim();
    expect(started.stdout).toContain(key);
    expect(started.stderr).not.toContain(key);
  });

  it('writes the log as text where asked', async () => {
    const started = new SallyportProcess({ mcpServers: { missing: BROKEN.missing } }, [
      'up',
      '--port',
      '0',
      '--log',
      'text',
    ]);
    const line = await started.logged(/^.*Connecting failed.*$/m);
    expect(line).toMatch(/^\d\d:\d\d:\d\d ! missing Connecting failed: The server "missing" could not be/);
    await started.stop();
  });
});
