import type { Log } from '../core/log.ts';
import { type ControlSocketOptions, openControlSocket } from '../gateway/control-socket.ts';

/** How soon this process answers once the one that did has ended. Milliseconds. */
const LOOK_EVERY_MS = 1_000;

/**
 * One process of a state directory answers its command lines: this one, or this one as soon as the other has ended.
 * @throws FaultError `config`.
 */
export async function keepControlSocket(options: ControlSocketOptions, log: Log): Promise<{ close(): Promise<void> }> {
  let socket = await openControlSocket(options);
  let trying: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    try {
      socket = await openControlSocket(options);
      if (socket !== undefined) clearInterval(timer);
    } catch (error) {
      log.debug({ error }, 'the control socket could not be taken over');
    } finally {
      trying = undefined;
    }
  };
  const timer = setInterval(() => {
    trying ??= look();
  }, LOOK_EVERY_MS).unref();
  if (socket !== undefined) clearInterval(timer);
  return {
    async close() {
      clearInterval(timer);
      await trying;
      await socket?.close();
    },
  };
}
