import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

type Members = Readonly<Record<string, unknown>>;

/** As EXAMPLES.md writes them. */
interface Example {
  readonly tool?: string;
  readonly input?: Members;
  readonly meta?: Members;
  /** To the question of the tool. */
  readonly answer?: Members;
  readonly method?: string;
  readonly params?: Members;
  /** The client knows tasks. */
  readonly tasks?: boolean;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly output?: Members;
  readonly text?: string;
  readonly error?: string;
  readonly result?: Members;
  /** The server does not start, and says this. */
  readonly stderr?: string;
}

interface Answer {
  readonly result?: Members & {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text?: string }[];
    readonly inputRequests?: Members;
  };
  readonly error?: unknown;
}

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const META = 'io.modelcontextprotocol/';
// Inside the package, where its own name leads to it.
const folder = mkdtempSync(join(PACKAGE, 'dist/examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A server of an example, and how to speak to it. */
class ExampleServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #example: Example;
  readonly #lines: AsyncIterator<string>;
  #stderr = '';

  constructor(file: string, example: Example) {
    const { args = [], env = {} } = example;
    this.#example = example;
    this.#child = spawn(process.execPath, [file, ...args], { env: { PATH: process.env['PATH'], ...env } });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#child.stderr.on('data', (chunk) => {
      this.#stderr += String(chunk);
    });
  }

  async send(method: string, params: Members, hasTasks = false): Promise<Answer> {
    const extensions = hasTasks ? { extensions: { [`${META}tasks`]: {} } } : {};
    const _meta = {
      ...(params['_meta'] as Members | undefined),
      [`${META}protocolVersion`]: '2026-07-28',
      [`${META}clientInfo`]: { name: 'examples', version: '1.0.0' },
      [`${META}clientCapabilities`]: { elicitation: { form: {} }, ...extensions },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
    if (this.#example.args?.includes('http') === true) return this.#post(method, params, body);
    this.#child.stdin.write(`${body}\n`);
    return JSON.parse((await this.#lines.next()).value as string) as Answer;
  }

  async #post(method: string, params: Members, body: string): Promise<Answer> {
    let url: string | undefined;
    while (url === undefined) {
      url = /listens at (\S+)/.exec(this.#stderr)?.[1];
      if (url === undefined) await once(this.#child.stderr, 'data');
    }
    const { key } = this.#example;
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params['name']),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
    });
    const text = await response.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Answer;
  }

  /** What it said, once it has ended. */
  async ended(): Promise<string> {
    await once(this.#child, 'close');
    return this.#stderr;
  }

  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    this.#child.kill();
    await once(this.#child, 'exit');
  }
}

const sections = readFileSync(join(PACKAGE, 'EXAMPLES.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.split('\n', 1)[0] ?? '',
    code: /^```js\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '',
    examples: [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = '']) => JSON.parse(json) as Example),
  }));

test('each feature has at least three examples', () => {
  expect(sections.length).toBeGreaterThanOrEqual(11);
  for (const { title, examples } of sections) expect(examples.length, title).toBeGreaterThanOrEqual(3);
});

test.each(sections)('the examples of EXAMPLES.md run: $title', async ({ title, code, examples }) => {
  const file = join(folder, `${title.replace(/\W+/g, '-')}.mjs`);
  writeFileSync(file, code);
  let server: ExampleServer | undefined;
  let started = '';
  let last: Members = {};
  for (const example of examples) {
    const { args, env, key, stderr, tasks, error } = example;
    const how = JSON.stringify([args, env, key]);
    if (stderr !== undefined || how !== started) {
      await server?.close();
      server = new ExampleServer(file, example);
      started = how;
    }
    if (stderr !== undefined) {
      expect(await server?.ended()).toContain(stderr);
      continue;
    }
    const answer = await play(server as ExampleServer, example, last);
    const said = (answer.result?.content ?? []).map(({ text = '' }) => text).join('\n');
    const where = `${JSON.stringify(example)} gave ${JSON.stringify(answer)}`;
    expect(answer.error, where).toBeUndefined();
    expect(answer.result?.isError === true, where).toBe(error !== undefined);
    expect(said, where).toContain(error ?? example.text ?? '');
    if (example.output !== undefined) expect(answer.result?.['structuredContent'], where).toMatchObject(example.output);
    if (example.result !== undefined) expect(answer.result, where).toMatchObject(example.result);
    last = answer.result ?? {};
    expect(tasks === true || answer.result?.['resultType'] !== 'task', where).toBe(true);
  }
  await server?.close();
});

/** Asks as the example says, answers the question of a tool, and waits for the end of a task. */
async function play(server: ExampleServer, example: Example, last: Members): Promise<Answer> {
  const { method = 'tools/call', tool, input, meta, tasks } = example;
  const params = fill(
    example.params ?? { name: tool, arguments: input, ...(meta === undefined ? {} : { _meta: meta }) },
    last,
  );
  let answer = await server.send(method, params, tasks);
  const { inputRequests, requestState } = answer.result ?? {};
  if (inputRequests !== undefined && method === 'tools/call') {
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, example.answer]));
    answer = await server.send(method, { ...params, requestState, inputResponses });
  }
  while (method === 'tasks/get' && answer.result?.['status'] === 'working')
    answer = await server.send(method, params, tasks);
  return answer;
}

/** Puts members of the last result in the place of `$.name`. */
function fill(params: Members, last: Members): Members {
  const replace = (path: string) =>
    String(path.split('.').reduce<unknown>((found, name) => (found as Members | undefined)?.[name], last));
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^\$\.([\w.]+)/, (_, path: string) => replace(path)) : value,
    ]),
  );
}
