// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cli, EVERYTHING, EVERYTHING_ENTRY, newFolder } from './cli-terminal.ts';

async function httpServer(status: number, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** A server that is a few lines of script: answers initialize, then what `answers` holds by method. */
function tiny(answers: Record<string, unknown>): string[] {
  const code = `
    const answers = ${JSON.stringify(answers)};
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const result = method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } }
        : answers[method];
      console.log(JSON.stringify(result === undefined
        ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'no ' + method } }
        : result.error ? { jsonrpc: '2.0', id, error: result.error } : { jsonrpc: '2.0', id, result }));
    });`;
  return ['--', process.execPath, '-e', code];
}

describe('a server behind --', () => {
  test('tools as JSON, with nothing else on stdout', async () => {
    const run = await cli(['tool', 'list', '--json', ...EVERYTHING]);
    expect(run).toMatchObject({ exit: 0, stderr: '' });
    const { tools } = run.json() as { tools: { name: string; inputSchema: object; server: string }[] };
    expect(tools.find(({ name }) => name === 'echo')).toMatchObject({
      server: 'index.js',
      inputSchema: { type: 'object' },
    });
  });

  test('tools as a table', async () => {
    const { exit, stdout } = await cli(['tool', 'list', ...EVERYTHING]);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^TOOL +DESCRIPTION\necho +Echoes back the input string\n/);
  });

  test('tools that fit a request', async () => {
    const run = await cli(['tool', 'find', 'add', 'two', 'numbers', '--json', ...EVERYTHING]);
    expect(run).toMatchObject({ exit: 0, stderr: '' });
    const { tools } = run.json() as { tools: { name: string; score: number; query: number }[] };
    expect(tools[0]).toMatchObject({ server: 'index.js', name: 'get-sum', query: 0 });
    expect(tools.length).toBeLessThanOrEqual(5);
  });

  test('tools for each step of a task', async () => {
    const steps = ['--step', 'sum of numbers', '--step', 'environment variables', '--most', '2'];
    const run = await cli(['tool', 'find', ...steps, '--json', ...EVERYTHING]);
    const { tools } = run.json() as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['get-sum', 'get-env']);
  });

  test.each<[string[], number, string]>([
    [['tool', 'find'], 1, 'Say what the tool is for'],
    [['tool', 'find', 'x', '--most', '0'], 1, '--most is a whole number'],
    [['tool', 'find', 'submarine', ...EVERYTHING], 0, 'No tool fits'],
  ])('%j', async (words, exit, stderr) => {
    expect(await cli(words)).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(stderr) });
  });

  test.each<[string[], number, string]>([
    [['echo', 'message=hi'], 0, 'Echo: hi\n'],
    [['get-sum', 'a=1', 'b=2.5'], 0, 'The sum of 1 and 2.5 is 3.5.\n'],
    [['echo', '--args', '{"message":"hi"}'], 0, 'Echo: hi\n'],
  ])('tool call %j', async (words, exit, stdout) => {
    expect(await cli(['tool', 'call', ...words, ...EVERYTHING])).toMatchObject({ exit, stdout, stderr: '' });
  });

  test('arguments from stdin', async () => {
    const run = await cli(['tool', 'call', 'echo', '-', ...EVERYTHING], { stdin: '{"message":"from stdin"}' });
    expect(run).toMatchObject({ exit: 0, stdout: 'Echo: from stdin\n' });
  });

  test.each<[string[], number, string]>([
    [['get-sum', 'a=one', 'b=2'], 6, 'sallyport: The argument "a" must be number.\n'],
    [['get-sum', 'a=1'], 6, 'sallyport: The tool also needs b; write b=….\n'],
    [['get-summ', 'a=1'], 1, 'sallyport: index.js has no tool "get-summ". Did you mean "get-sum"?\n'],
    [['echo', '--args', '{"s3cret'], 1, 'sallyport: --args is not a JSON object.\n'],
    [['echo', 'x=1', '--args', '{}'], 1, 'sallyport: Give the arguments as words or with --args, not both.\n'],
    [['echo', '--args', '{"message":1}'], 5, 'The tool reports an error.\n'],
    [['echo', '--timeout', 'soon'], 1, 'sallyport: "soon" is no time; write 500ms, 30s, 5m or 1h.\n'],
    [['echo', '--header', 'A: b'], 1, 'sallyport: --header is for servers reached by URL.\n'],
    [['echo', '--jsn'], 1, "sallyport: unknown option '--jsn'\n(Did you mean --json?)\n"],
  ])('tool call %j ends with %i', async (words, exit, stderr) => {
    expect(await cli(['tool', 'call', ...words, ...EVERYTHING])).toMatchObject({ exit, stderr });
  });

  test('a failure is one JSON value too', async () => {
    const run = await cli(['tool', 'call', 'get-sum', 'a=1', '--json', ...EVERYTHING]);
    expect(run.exit).toBe(6);
    expect(run.json()).toEqual({ error: { code: 'schema', message: 'The tool also needs b; write b=….' } });
  });

  test('environment of the server', async () => {
    const { stdout } = await cli(['tool', 'call', 'get-env', '--env', 'MINE=a=b', ...EVERYTHING]);
    expect(JSON.parse(stdout)).toMatchObject({ MINE: 'a=b' });
  });

  test('roots are shown when asked for', async () => {
    const { stdout } = await cli(['tool', 'call', 'get-roots-list', '--root', 'sub', ...EVERYTHING], { cwd: '/tmp' });
    expect(stdout).toContain('file:///tmp/sub');
  });

  test('progress goes to stderr', async () => {
    const words = ['trigger-long-running-operation', 'duration=0.2', 'steps=2', '--progress'];
    const { exit, stdout, stderr } = await cli(['tool', 'call', ...words, ...EVERYTHING]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'progress 1/2\nprogress 2/2\n' });
    expect(stdout).toContain('Long running operation completed');
  });

  test('a time limit', async () => {
    const words = ['trigger-long-running-operation', 'duration=30', 'steps=1', '--timeout', '3s', '--json'];
    const run = await cli(['tool', 'call', ...words, ...EVERYTHING]);
    expect(run.exit).toBe(4);
    expect(run.json()).toMatchObject({ error: { code: 'timeout' } });
  });

  test('Ctrl-C', async () => {
    const words = ['trigger-long-running-operation', 'duration=30', 'steps=300', '--progress'];
    const run = await cli(['tool', 'call', ...words, ...EVERYTHING], { interruptAt: 'progress 1/300' });
    expect(run.exit).toBe(130);
    expect(run.stderr).toContain('sallyport: Interrupted.\n');
  });

  test('resources', async () => {
    const text = await cli(['resource', 'read', 'demo://resource/dynamic/text/1', ...EVERYTHING]);
    expect(text.stdout).toMatch(/^Resource 1: /);
    const { bytes } = await cli(['resource', 'read', 'demo://resource/dynamic/blob/1', ...EVERYTHING]);
    expect(bytes.toString()).toMatch(/^Resource 1: /);
    const list = await cli(['resource', 'list', '--json', ...EVERYTHING]);
    expect(list.json()).toMatchObject({ resources: expect.any(Array), resourceTemplates: [{}, {}] });
    expect(await cli(['resource', 'read', 'demo://nope', ...EVERYTHING])).toMatchObject({ exit: 5, stdout: '' });
  });

  test('prompts', async () => {
    const list = await cli(['prompt', 'list', ...EVERYTHING]);
    expect(list.stdout).toMatch(/args-prompt +city \[state\]/);
    const got = await cli(['prompt', 'get', 'args-prompt', 'city=Paris', ...EVERYTHING]);
    expect(got).toMatchObject({ exit: 0, stdout: "user: What's weather in Paris?\n" });
    const missing = await cli(['prompt', 'get', 'args-prompt', '--json', ...EVERYTHING]);
    expect(missing.exit).toBe(5);
    expect(missing.json()).toMatchObject({ error: { code: -32602 } });
  });
});

describe('questions of a server', () => {
  test('are put to the person at the terminal', async () => {
    const run = await cli(['tool', 'call', 'trigger-elicitation-request', ...EVERYTHING], {
      answers: ['y', 'Ann', 'yes', ...Array(11).fill(''), 'y'],
    });
    expect(run.stderr).toContain('The server "index.js" asks:');
    expect(run.stdout).toContain('Ann');
    expect(run).toMatchObject({ exit: 0, answersLeft: 0 });
  });

  test('are declined by the person', async () => {
    const run = await cli(['tool', 'call', 'trigger-elicitation-request', ...EVERYTHING], { answers: ['n'] });
    expect(run.stdout).toContain('declined');
  });

  test('are not invited without a terminal', async () => {
    const run = await cli(['tool', 'call', 'trigger-elicitation-request', ...EVERYTHING]);
    expect(run).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('has no tool "trigger-elicitation-request"'),
    });
  });
});

describe('what servers say is not believed', () => {
  const tools = [{ name: 'x', description: 'a\u001b[2Jb', inputSchema: { type: 'object' } }];

  test('escape sequences do not reach the terminal', async () => {
    const answers = {
      'tools/list': { tools },
      'tools/call': { content: [{ type: 'text', text: '\u001b]52;c;AAAA\u0007' }] },
    };
    const list = await cli(['tool', 'list', ...tiny(answers)], { answers: [] });
    expect(list.stdout).toContain('a\\u{1b}[2Jb');
    const call = await cli(['tool', 'call', 'x', ...tiny(answers)], { answers: [] });
    expect(call.stdout).toBe('\\u{1b}]52;c;AAAA\\u{7}\n');
  });

  test('an error of the server is its answer', async () => {
    const run = await cli([
      'tool',
      'call',
      'x',
      '--json',
      ...tiny({ 'tools/list': { tools }, 'tools/call': { error: { code: -32000, message: 'no', data: { a: 1 } } } }),
    ]);
    expect(run).toMatchObject({ exit: 5, stderr: 'The server answered with an error: no (-32000)\n' });
    expect(run.json()).toEqual({ error: { code: -32000, message: 'no', data: { a: 1 } } });
  });

  test('a list that is none', async () => {
    expect(await cli(['tool', 'list', ...tiny({ 'tools/list': { tools: 'x' } })])).toMatchObject({
      exit: 4,
      stdout: '',
    });
  });

  test('pages that never end', async () => {
    const run = await cli(['tool', 'list', '--json', ...tiny({ 'tools/list': { tools, nextCursor: 'again' } })]);
    expect((run.json() as { tools: [] }).tools).toHaveLength(2);
  });

  test('a server without tools', async () => {
    expect(await cli(['tool', 'list', ...tiny({})])).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: 'Nothing to list.\n',
    });
  });
});

describe('exit codes of connections', () => {
  test('3: not signed in', async () => {
    expect(await cli(['tool', 'list', await httpServer(401, { 'www-authenticate': 'Bearer' })])).toMatchObject({
      exit: 3,
      stdout: '',
    });
  });

  test('4: nothing there', async () => {
    const run = await cli(['tool', 'list', 'http://127.0.0.1:1/mcp', '--json']);
    expect(run.exit).toBe(4);
    expect(run.json()).toMatchObject({
      error: { code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') },
    });
  });

  test('4: no such command', async () => {
    const run = await cli(['tool', 'list', '--', '/no/such/program']);
    expect(run).toMatchObject({ exit: 4, stderr: expect.stringContaining('/no/such/program') });
  });
});

describe('servers of a file', () => {
  function write(value: unknown): string {
    const home = newFolder();
    writeFileSync(join(home, 'sallyport.json'), JSON.stringify(value));
    return home;
  }

  test('by name, although another one is broken', async () => {
    const home = write({ mcpServers: { good: EVERYTHING_ENTRY, bad: { command: '${NOPE}' } } });
    expect(await cli(['tool', 'call', 'good', 'echo', 'message=hi'], { home })).toMatchObject({
      exit: 0,
      stdout: 'Echo: hi\n',
    });
    expect(await cli(['tool', 'call', './sallyport.json#good', 'echo', 'message=hi'], { home })).toMatchObject({
      exit: 0,
    });
    expect(await cli(['tool', 'list', 'bad'], { home })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('mcpServers.bad.command'),
    });
    expect(await cli(['tool', 'list', 'goood'], { home })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('Did you mean "good"?'),
    });
  });

  test('all at once: the trouble of one does not hide the others', async () => {
    const home = write({ mcpServers: { good: EVERYTHING_ENTRY, gone: { command: '/no/such/program' } } });
    const run = await cli(['tool', 'list', '--json'], { home });
    expect(run.exit).toBe(4);
    expect(run.stderr).toMatch(/^gone: /);
    const { tools, failed } = run.json() as { tools: { server: string; name: string }[]; failed: { server: string }[] };
    expect(tools).toContainEqual(expect.objectContaining({ server: 'good', name: 'echo' }));
    expect(failed).toEqual([{ server: 'gone', error: { code: 'unreachable', message: expect.any(String) } }]);
  });

  test('one must be meant', async () => {
    const home = write({ mcpServers: { a: EVERYTHING_ENTRY, b: EVERYTHING_ENTRY } });
    expect(await cli(['tool', 'call', './sallyport.json', 'echo'], { home })).toMatchObject({
      exit: 1,
      stderr: 'sallyport: The file has several servers; add "#name" to it. They are a, b.\n',
    });
  });

  test('without any configuration', async () => {
    expect(await cli(['tool', 'list'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('There are no servers.'),
    });
    expect(await cli(['tool', 'list', 'x'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('There is no configuration yet'),
    });
    expect(await cli(['tool', 'list', 'x.json'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('There is no file'),
    });
  });
});
