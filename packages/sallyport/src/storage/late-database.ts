import { FaultError } from '../core/errors.ts';
import { type Database, openDatabase } from './database.ts';

/** The one handle of this process, opened when somebody first asks for it. */
export interface LateDatabase {
  /** @throws FaultError as `openDatabase` does; who asks later tries again: a full disk may have been emptied. */
  get(): Promise<Database>;
  /** Last of all: whoever got the handle has let go. Idempotent. */
  close(): Promise<void>;
}

export function createLateDatabase(file: string): LateDatabase {
  let opening: Promise<Database> | undefined;
  let closing: Promise<void> | undefined;
  return {
    get() {
      if (closing !== undefined)
        return Promise.reject(new FaultError('draining', 'Sallyport is ending. Try again when it is back.'));
      if (opening === undefined) {
        opening = openDatabase(file);
        opening.catch(() => {
          opening = undefined;
        });
      }
      return opening;
    },
    close() {
      closing ??= (async () => {
        await (await opening?.catch(() => undefined))?.destroy();
      })();
      return closing;
    },
  };
}
