import { Connection, type Target } from './connection.ts';
import { EventStream } from './event-stream.ts';
import { openSession } from './http-caller.ts';
import { legacyHeaders } from './messages.ts';
import { openSseCaller } from './sse-caller.ts';

/** Sessions being opened at once. */
const AT_ONCE = 8;

/** `count` legacy sessions, each with its GET stream open and nothing else. */
export async function openIdleSessions(target: Target, count: number): Promise<{ close(): Promise<void> }> {
  const streams: { close(): unknown }[] = [];
  const open = async (lane: number): Promise<void> => {
    // The connection of the handshake is kept for the next session: an idle client holds its stream only.
    const connection = new Connection(target.port);
    try {
      for (let i = lane; i < count; i += AT_ONCE) {
        if (target.front === 'sse') {
          // Its request connection is left to the server, which closes an idle one after seconds.
          streams.push(await openSseCaller(target));
        } else {
          const session = await openSession(connection, target);
          streams.push(await EventStream.open(target, legacyHeaders(session), () => {}));
        }
      }
    } finally {
      connection.close();
    }
  };
  const close = async (): Promise<void> => {
    await Promise.all(streams.map((stream) => stream.close()));
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => open(lane)));
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}
