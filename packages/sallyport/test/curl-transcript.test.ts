import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const HELLO = fileURLToPath(new URL('fixtures/upstream-hello-world.mjs', import.meta.url));
const config = {
  gateway: { prefix: 'none' },
  mcpServers: { helloWorld: { command: process.execPath, args: [HELLO], env: {} } },
};

/** Each command as the introduction prints it, run by a shell; HOST and SESSION stand for what it printed before. */
const COMMANDS = {
  sse: 'curl http://HOST/sse',
  initialize: `curl -X POST --data '{
  "jsonrpc": "2.0",
  "id": 1,
  "method": "initialize",
  "params": {
    "protocolVersion": "2024-11-05",
    "capabilities": {
      "roots": {
        "listChanged": true
      },
      "sampling": {}
    },
    "clientInfo": {
      "name": "ExampleClient",
      "version": "1.0.0"
    }
  }
}' http://HOST/message?sessionId=SESSION`,
  list: `curl -X POST --data '{
  "jsonrpc": "2.0",
  "id": 1,
  "method": "tools/list",
  "params":{}
}' http://HOST/message?sessionId=SESSION`,
  call: `curl -X POST --data '{
"jsonrpc": "2.0",
"id": 1,
"method": "tools/call",
"params": {
  "name": "hello_world",
  "arguments": {
    "name": "kyden"
  }
}
}' http://HOST/message?sessionId=SESSION`,
  shutdown: `curl -X POST --data '{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}' http://HOST/message?sessionId=SESSION`,
};

/** A shell with curl, for one session of the transcript. */
async function openTranscript(host: string, key: string | null) {
  const header = key === null ? '' : ` -H "Authorization: Bearer ${key}"`;
  // In a terminal curl shows events as they come; in a pipe it has to be told to (-N).
  const fill = (command: string, session = '') =>
    command.replace('curl', `curl -sN${header}`).replace('HOST', host).replace('SESSION', session);
  const stream = spawn('sh', ['-c', fill(COMMANDS.sse)], { stdio: ['ignore', 'pipe', 'inherit'] });
  atTheEnd(() => stream.kill('SIGKILL'));
  const shown = { text: '' };
  stream.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown.text += text;
  });
  const session = await waitFor(() => {
    const match = /^event: endpoint\ndata: \/message\?sessionId=([A-Za-z0-9_-]+)\n\n/.exec(shown.text);
    if (match?.[1] === undefined) throw new Error(`no session yet: ${shown.text}`);
    return match[1];
  });
  const run = async (step: Exclude<keyof typeof COMMANDS, 'sse'>) =>
    (await promisify(execFile)('sh', ['-c', fill(COMMANDS[step], session)])).stdout;
  return { stream, shown, run };
}

async function runTranscript(args: readonly string[]): Promise<void> {
  const gateway = await startGateway(config, args);
  const host = new URL(gateway.origin).host.replace('127.0.0.1', 'localhost');
  const { stream, shown, run } = await openTranscript(host, gateway.key);

  const initialized = await run('initialize');
  expect(initialized).toMatch(
    /^event: message\ndata: \{"jsonrpc":"2\.0","id":1,"result":\{"protocolVersion":"2024-11-05","capabilities":\{.*\}\}\n\n$/,
  );
  expect(JSON.parse(dataOf(initialized)).result).toMatchObject({
    capabilities: { tools: {} },
    serverInfo: { name: expect.any(String), version: expect.any(String) },
  });

  const listed = await run('list');
  expect(listed).toBe(
    'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[{"annotations":{"destructiveHint":true,"openWorldHint":true},"description":"Say hello to someone","inputSchema":{"properties":{"name":{"description":"Name of the person to greet","type":"string"}},"required":["name"],"type":"object"},"name":"hello_world"}]}}\n\n',
  );

  const called = await run('call');
  expect(called).toBe(
    'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, kyden!"}]}}\n\n',
  );
  // Whoever listens on the event stream hears the same.
  await waitFor(() => expect(shown.text).toContain(called));
  expect(shown.text).toContain(initialized);
  expect(shown.text).toContain(listed);

  const ended = once(stream, 'close');
  expect(await run('shutdown')).toBe('event: message\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\n\n');
  expect(await ended).toEqual([0, null]);
  expect(JSON.parse(await run('list')).error).toMatchObject({
    code: -32001,
    message: expect.stringMatching(/^There is no such session/),
  });
  expect(await gateway.process.stop()).toEqual({ code: 0, signal: null });
}

const dataOf = (event: string) => /^data: (.*)$/m.exec(event)?.[1] ?? '';

it('runs as printed, without a key', () => runTranscript(['--auth', 'none']));

it('runs with the key in a header', () => runTranscript([]));

it('is refused without the key, by curl and with the way to mend it', async () => {
  const gateway = await startGateway(config);
  const { stdout } = await promisify(execFile)('curl', ['-s', '-w', '\n%{http_code}', gateway.sse]);
  expect(stdout).toBe(
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Sallyport needs the header \\"Authorization: Bearer <key>\\". Whoever started it has the key."}}\n401',
  );
});
