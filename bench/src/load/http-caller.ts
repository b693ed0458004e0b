import type { Caller } from './caller.ts';
import { assertAnswer, faultOf, namesIn, resultIn, shorten } from './check-answer.ts';
import { Connection, exchange, type Target } from './connection.ts';
import {
  callTemplates,
  deleteSession,
  type Era,
  initialize,
  initialized,
  listTools,
  renewId,
  type Session,
} from './messages.ts';
import { headerOf } from './response-reader.ts';

/** `initialize` and `notifications/initialized` on `connection`. */
export async function openSession(connection: Connection, target: Target): Promise<Session> {
  const reply = await exchange(connection, initialize(target));
  const result = resultIn(reply);
  if (!Object.hasOwn(result, 'protocolVersion')) throw new Error(`initialize answered ${shorten(reply.text)}`);
  const session: Session = { id: headerOf(reply.head, 'mcp-session-id') };
  await exchange(connection, initialized(target, session));
  return session;
}

/** A client of Streamable HTTP. */
export async function openHttpCaller(target: Target, era: Era): Promise<Caller> {
  const connection = new Connection(target.port);
  try {
    const session: Session = era === 'legacy' ? await openSession(connection, target) : { id: undefined };
    return createHttpCaller(connection, target, { era, session });
  } catch (error) {
    connection.close();
    throw error;
  }
}

function createHttpCaller(
  connection: Connection,
  target: Target,
  { era, session }: { readonly era: Era; readonly session: Session },
): Caller {
  const templates = callTemplates(target, era, session);
  let count = 0;
  return {
    call: (tool, finish) => {
      const template = templates[tool];
      count += 1;
      const id = renewId(template, count);
      connection.send(template.bytes, false, (reply) => finish(faultOf(reply, id, tool)));
    },
    check: async (tool) => {
      count += 1;
      renewId(templates[tool], count);
      assertAnswer(resultIn(await exchange(connection, templates[tool].bytes)), tool);
    },
    list: async () => namesIn(resultIn(await exchange(connection, listTools(target, era, session)))),
    close: async () => {
      if (session.id !== undefined) await exchange(connection, deleteSession(target, session), 2_000).catch(() => {});
      connection.close();
    },
  };
}
