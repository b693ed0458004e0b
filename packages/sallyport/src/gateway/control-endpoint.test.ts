import { expect, test } from 'vitest';
import { KEY_HOLDER } from '../core/principal.ts';
import { type ControlPort, serveControl } from './control-endpoint.ts';
import { FastRequest } from './fast-request.ts';
import type { HttpResponse } from './http-exchange.ts';
import { Streams } from './streams.ts';

type Reply = Awaited<ReturnType<ControlPort['handle']>>;

/** A response that is read at once; closed, it says so. */
function openResponse() {
  const said: string[] = [];
  const listeners: (() => void)[] = [];
  const response = {
    headersSent: false,
    destroyed: false,
    writableEnded: false,
    writableLength: 0,
    writeHead: (status: number) => {
      said.push(String(status));
      return response;
    },
    flushHeaders() {},
    write(text: string, _encoding: string, taken?: () => void) {
      said.push(text);
      taken?.();
      return true;
    },
    end() {
      response.writableEnded = true;
      for (const listener of listeners) listener();
    },
    destroy() {
      response.destroyed = true;
    },
    on: (_event: string, listener: () => void) => listeners.push(listener),
  };
  return { said, response };
}

/** Who asks may be told to be nobody any more. */
function open(reply: Reply) {
  const world = { current: true, asked: 0 };
  const { said, response } = openResponse();
  const streams = new Streams();
  const control: ControlPort = {
    handle: async () => {
      world.asked++;
      return reply;
    },
  };
  const request = new FastRequest({ url: '/api/v1/x', headers: {}, bodyLength: 0 }, Buffer.alloc(0));
  const serve = () =>
    serveControl(
      control,
      // All that is used of a response.
      { request, response: response as unknown as HttpResponse, principal: KEY_HOLDER, path: '/api/v1/x' },
      { streams, bodyBytes: 1_000, isCurrent: () => world.current },
    ).finally(() => streams.close());
  return { world, said, response, serve };
}

test.each(['credential', 'role'])('a stream ends with the %s, before anything more is told', async (what) => {
  const state = { role: true, emit: (_event: string) => {}, stopped: false };
  const { world, said, response, serve } = open({
    kind: 'events',
    mayHear: () => state.role,
    follow(write) {
      state.emit = write;
      return () => {
        state.stopped = true;
      };
    },
  });
  await serve();
  state.emit('one');
  if (what === 'role') state.role = false;
  else world.current = false;
  state.emit('two');
  expect(said).toEqual(['200', 'one']);
  expect([response.writableEnded, state.stopped]).toEqual([true, true]);
});

test('text that is taken slowly breaks off with the credential', async () => {
  const { world, said, response, serve } = open({ kind: 'text', type: 'text/csv', pieces: pieces() });
  async function* pieces() {
    yield 'one';
    world.current = false;
    yield 'two';
  }
  await serve();
  expect(said).toEqual(['200', 'one']);
  expect(response.destroyed).toBe(true);
});

test('what was sent by a credential that has ended meanwhile is not done', async () => {
  const { world, serve } = open({ kind: 'whole', status: 200, type: 'application/json', body: '{}' });
  world.current = false;
  await expect(serve()).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(world.asked).toBe(0);
});
