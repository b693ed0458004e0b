import type { Caller } from './caller.ts';
import { assertAnswer, faultOf, namesIn, resultIn } from './check-answer.ts';
import { Connection, exchange, type Finish, type Reply, type Target } from './connection.ts';
import { EventStream } from './event-stream.ts';
import { callTemplates, initialize, initialized, listTools, renewId, type Session } from './messages.ts';

/** A legacy client of HTTP+SSE: requests go out by POST, all answers come back on one GET stream. */
export async function openSseCaller(target: Target): Promise<Caller> {
  const connection = new Connection(target.port);
  const waiting = new Map<string, Finish>();
  let announce: (endpoint: string) => void = () => {};
  const announced = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no endpoint event within 10000 ms')), 10_000);
    announce = (endpoint) => {
      clearTimeout(timer);
      resolve(endpoint);
    };
  });
  announced.catch(() => {});
  const stream = await EventStream.open(target, {}, (data) => {
    if (data.startsWith('/') || data.startsWith('http')) {
      announce(data);
      return;
    }
    const id = /"id":(\d+)/.exec(data.slice(-64))?.[1] ?? /"id":(\d+)/.exec(data)?.[1] ?? '';
    waiting.get(id)?.({ status: 200, head: '', text: data, bytes: data.length });
    waiting.delete(id);
  });
  try {
    const { pathname, search } = new URL(await announced, `http://127.0.0.1:${target.port}`);
    return await startSession({ connection, stream, waiting }, { ...target, path: pathname + search });
  } catch (error) {
    stream.close();
    connection.close();
    throw error;
  }
}

interface Wires {
  readonly connection: Connection;
  readonly stream: EventStream;
  /** By request id. */
  readonly waiting: Map<string, Finish>;
}

async function startSession({ connection, stream, waiting }: Wires, posts: Target): Promise<Caller> {
  const session: Session = { id: undefined };
  const templates = callTemplates(posts, 'legacy', session);
  let count = 0;

  // The call is over when both the POST is accepted and the answer came down the stream: the next one needs both.
  const send = (request: Buffer, id: string, finish: Finish): void => {
    let left = 2;
    let answer: Reply | Error | undefined;
    const arrive = (reply: Reply | Error): void => {
      left -= 1;
      if (left === 0) finish(answer instanceof Error ? answer : reply instanceof Error ? reply : (answer ?? reply));
    };
    waiting.set(id, (reply) => {
      answer = reply;
      arrive(reply);
    });
    connection.send(request, false, (reply) => {
      if (reply instanceof Error || reply.status >= 300) {
        waiting.delete(id);
        left = 0;
        finish(reply);
      } else arrive(reply);
    });
  };
  const ask = (request: Buffer, id: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no answer within 10000 ms')), 10_000);
      send(request, id, (reply) => {
        clearTimeout(timer);
        if (reply instanceof Error) reject(reply);
        else resolve(reply);
      });
    });

  resultIn(await ask(initialize(posts), '1'));
  await exchange(connection, initialized(posts, session));
  return {
    call: (tool, finish) => {
      count += 1;
      const id = renewId(templates[tool], count);
      send(templates[tool].bytes, id, (reply) => finish(faultOf(reply, id, tool)));
    },
    check: async (tool) => {
      count += 1;
      const id = renewId(templates[tool], count);
      assertAnswer(resultIn(await ask(templates[tool].bytes, id)), tool);
    },
    list: async () => namesIn(resultIn(await ask(listTools(posts, 'legacy', session), '100000000'))),
    close: async () => {
      stream.close();
      connection.close();
    },
  };
}
