import type { Readable, Writable } from 'node:stream';
import type { Reply } from './call.ts';
import type { EraFlag } from './flags.ts';
import { LegacySession } from './legacy.ts';
import {
  codes,
  isRequest,
  type Message,
  type Request,
  type RequestId,
  RpcError,
  toErrorMessage,
  toMessage,
} from './messages.ts';
import { isModern, serveModern } from './modern.ts';
import type { World } from './world.ts';

const mostLineBytes = 16 * 1024 * 1024;

/** Speaks newline-delimited JSON-RPC until the input ends. */
export async function serveStdio(world: World, era: EraFlag, io: { input: Readable; output: Writable }): Promise<void> {
  const write = (message: unknown): void => {
    io.output.write(`${JSON.stringify(message)}\n`);
  };
  const session = new LegacySession(world, write);
  const running = new Map<RequestId, AbortController>();
  const serve = async (request: Request): Promise<void> => {
    const abort = new AbortController();
    const reply: Reply = { signal: abort.signal, send: write, end: write };
    if (era === 'modern' || (era === 'both' && isModern(request.params))) {
      running.set(request.id, abort);
      await serveModern(world, request, reply);
      // A listen request stays open after it was served, so that it can still be cancelled.
      if (request.method !== 'subscriptions/listen') running.delete(request.id);
      return;
    }
    await session.serve(request, reply, () => abort.abort(new Error('cancelled')));
  };
  const take = (message: Message): void => {
    if (isRequest(message)) return void serve(message);
    const id = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    if (typeof id === 'string' || typeof id === 'number') {
      running.get(id)?.abort(new Error('cancelled'));
      running.delete(id);
    }
    session.accept(message);
  };
  for await (const line of readLines(io.input)) {
    try {
      const parsed = parse(line);
      // Batches exist in 2025-03-26 only; there each answer may go out alone on stdio.
      const batch = Array.isArray(parsed) && session.revision === '2025-03-26';
      for (const part of batch ? parsed : [parsed]) take(toMessage(part));
    } catch (error) {
      write(toErrorMessage(error));
    }
  }
  session.close();
  for (const abort of running.values()) abort.abort(new Error('closed'));
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new RpcError(codes.parse, 'not JSON');
  }
}

async function* readLines(input: Readable): AsyncGenerator<string> {
  let rest = '';
  input.setEncoding('utf8');
  for await (const chunk of input) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > mostLineBytes) throw new Error('line too long');
    for (const line of lines) if (line.trim() !== '') yield line;
  }
}
