import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, test, vi } from 'vitest';
import { defineServer, defineTool, fail, field, type KitServer, type ToolContext, z } from './kit.ts';
import { connectTestClient } from './testing/testing.ts';

const WRITES = { readOnly: false, destructive: true, idempotent: false, openWorld: false };

/** A server with one tool, `notes_delete_item`. */
function serverWith(
  run: (id: string, context: ToolContext) => string | Promise<string>,
  more: { readonly perMinute?: number; readonly timeoutMs?: number } = {},
): KitServer {
  const tool = defineTool({
    name: 'notes_delete_item',
    title: 'Delete a note',
    description: 'Deletes a note and says what happened.',
    input: { id: field('Id of the note', z.string()) },
    output: { said: field('What happened', z.string()) },
    hints: WRITES,
    ...more,
    run: async ({ id }, context) => ({ said: await run(id, context) }),
  });
  return defineServer({ name: 'notes-mcp-server', version: '1.0.0', tools: [tool], note: () => {} });
}

interface Answer {
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly structuredContent?: unknown;
    readonly requestState?: string;
    readonly inputRequests?: Readonly<Record<string, unknown>>;
  };
}

/** Requests of 2026-07-28 as a client writes them by hand: it may send any state and any answer. */
function rawClient(server: KitServer) {
  const handler = createMcpHandler(() => server.create(), { legacy: 'reject' });
  return async (id: string, more: object = {}, meta: object = {}): Promise<Answer> => {
    const response = await handler.fetch(
      new Request('http://kit.test/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'notes_delete_item',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'notes_delete_item',
            arguments: { id },
            ...more,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
              'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
              ...meta,
            },
          },
        }),
      }),
    );
    const text = await response.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Answer;
  };
}

const keyed = (key: unknown) => ({ 'io.sallyport/idempotencyKey': key });
const textOf = ({ result }: Answer) => result?.content?.[0]?.text;
/** The answer to the question that `asked` has put. */
const agree = ({ result }: Answer) => ({
  requestState: result?.requestState,
  inputResponses: Object.fromEntries(
    Object.keys(result?.inputRequests ?? {}).map((key) => [key, { action: 'accept', content: { sure: true } }]),
  ),
});
const confirm = async (id: string, context: ToolContext) => {
  const { action } = await context.ask(`Delete ${id}?`, { sure: field('Really', z.boolean()) });
  return `${id} ${action}`;
};

describe('the state of a request', () => {
  test('belongs to its call', async () => {
    const call = rawClient(serverWith(confirm));
    const asked = await call('1');
    expect((await call('1', agree(asked))).result?.structuredContent).toEqual({ said: '1 accept' });
  });

  test('of another call answers nothing: the question is asked', async () => {
    const call = rawClient(serverWith(confirm));
    const asked = await call('1');
    const other = await call('2', agree(asked));
    expect(Object.values(other.result?.inputRequests ?? {})).toMatchObject([{ params: { message: 'Delete 2?' } }]);
  });

  test('missing beside an answer: the question is asked', async () => {
    const call = rawClient(serverWith(confirm));
    const { inputResponses } = agree(await call('1'));
    expect((await call('1', { inputResponses })).result?.inputRequests).toBeDefined();
  });

  test('an answer to the second question is none to the first', async () => {
    const call = rawClient(
      serverWith(async (id, context) => {
        await context.ask('First?', { sure: field('Really', z.boolean()) });
        await context.ask('Second?', { sure: field('Really', z.boolean()) });
        return id;
      }),
    );
    const first = await call('1');
    const second = await call('1', agree(first));
    const { inputResponses } = agree(second);
    const again = await call('1', { requestState: first.result?.requestState, inputResponses });
    expect(Object.values(again.result?.inputRequests ?? {})).toMatchObject([{ params: { message: 'First?' } }]);
  });

  test.each(['', 'x', 'A'.repeat(100)])('made up as %j is refused', async (requestState) => {
    const call = rawClient(serverWith(confirm));
    expect((await call('1', { requestState })).error?.message).toMatch(/requestState/);
  });

  test('changed in one character is refused', async () => {
    const call = rawClient(serverWith(confirm));
    const state = (await call('1')).result?.requestState ?? '';
    const at = state.length - 2;
    const changed = `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
    expect((await call('1', { requestState: changed })).error?.message).toMatch(/requestState/);
  });
});

describe('calls per minute', () => {
  test('an answered question is no second call', async () => {
    const call = rawClient(serverWith(confirm, { perMinute: 1 }));
    const asked = await call('1');
    expect((await call('1', agree(asked))).result?.structuredContent).toEqual({ said: '1 accept' });
    expect(textOf(await call('1'))).toMatch(/Wait \d+ seconds/);
  });

  test('a state sent again is a call', async () => {
    const call = rawClient(serverWith(confirm, { perMinute: 1 }));
    const answer = agree(await call('1'));
    await call('1', answer);
    expect(textOf(await call('1', answer))).toMatch(/Wait \d+ seconds/);
  });
});

describe('a call with an idempotency key', () => {
  test('at once and again runs once', async () => {
    let runs = 0;
    const call = rawClient(serverWith(() => `run ${++runs}`));
    const all = await Promise.all(Array.from({ length: 5 }, () => call('1', {}, keyed('a'))));
    expect([...all, await call('1', {}, keyed('a'))].map(({ result }) => result?.structuredContent)).toEqual(
      Array(6).fill({ said: 'run 1' }),
    );
    expect(textOf(await call('2', {}, keyed('a')))).toMatch(/used for another call/);
    expect((await call('2', {}, keyed('b'))).result?.structuredContent).toEqual({ said: 'run 2' });
  });

  test('that was stopped by its deadline never runs a second time', async () => {
    let runs = 0;
    const call = rawClient(
      serverWith(
        () => {
          runs++;
          return new Promise(() => {});
        },
        { timeoutMs: 20 },
      ),
    );
    expect(textOf(await call('1', {}, keyed('a')))).toMatch(/took longer/);
    expect(textOf(await call('1', {}, keyed('a')))).toMatch(/nobody knows whether it took effect/);
    expect(runs).toBe(1);
  });

  test('that failed with a fault never runs a second time; one that says it did nothing may', async () => {
    let runs = 0;
    const call = rawClient(
      serverWith((id) => {
        runs++;
        if (id === 'refused') fail('No.', 'Try later.');
        throw new Error('after the effect');
      }),
    );
    await call('1', {}, keyed('a'));
    expect(textOf(await call('1', {}, keyed('a')))).toMatch(/nobody knows/);
    expect(runs).toBe(1);
    await call('refused', {}, keyed('b'));
    expect(textOf(await call('refused', {}, keyed('b')))).toBe('No. Try later.');
    expect(runs).toBe(3);
  });

  test('that asks runs its question for each who waits, and its work once', async () => {
    let runs = 0;
    const call = rawClient(
      serverWith(async (id, context) => {
        const said = await confirm(id, context);
        runs++;
        return said;
      }),
    );
    const [one, two] = await Promise.all([call('1', {}, keyed('a')), call('1', {}, keyed('a'))]);
    const done = await call('1', agree(one as Answer), keyed('a'));
    expect((await call('1', agree(two as Answer), keyed('a'))).result).toEqual(done.result);
    expect(runs).toBe(1);
  });

  test.each([5, '', 'x'.repeat(201), null])('as %j is refused, not ignored', async (key) => {
    const run = vi.fn(() => 'done');
    expect(textOf(await rawClient(serverWith(run))('1', {}, keyed(key)))).toMatch(/idempotency key/);
    expect(run).not.toHaveBeenCalled();
  });
});

describe('a definition that cannot work is refused', () => {
  test.each([
    { perMinute: 0 },
    { perMinute: 0.5 },
    { timeoutMs: 0 },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { timeoutMs: 2 ** 31 },
  ])('%j', (more) => {
    expect(() => serverWith(() => '', more)).toThrow(/perMinute|timeoutMs/);
  });
});

test('a client that cancels ends the work', async () => {
  const { promise: started, resolve: start } = deferred<void>();
  const { promise: ended, resolve: end } = deferred<string>();
  const server = serverWith((_, { signal }) => {
    signal.addEventListener('abort', () => end('aborted'));
    start();
    return ended;
  });
  const client = await connectTestClient(server, { era: 'legacy' });
  const controller = new AbortController();
  const called = client.client.callTool(
    { name: 'notes_delete_item', arguments: { id: '1' } },
    { signal: controller.signal },
  );
  await started;
  controller.abort();
  await expect(called).rejects.toThrow();
  expect(await ended).toBe('aborted');
  await client.close();
});

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
