import type { CallToolResult } from '@modelcontextprotocol/server';
import { InputNeeded } from './context.ts';
import { fail, ToolFailure } from './fail.ts';
import { openDatabase } from './open-database.ts';

/** Results of calls with an idempotency key, so that a repeated call returns the first result. */
export interface CallStore {
  /**
   * @param key of the caller and the call
   * @param call digest of the tool and its input: a key that comes with another call is an error
   * @throws ToolFailure when the key was used for another call, or its first call has not ended
   */
  once(key: string, call: string, work: () => Promise<CallToolResult>): Promise<CallToolResult>;
  close(): void;
}

const LIFE_MS = 24 * 3_600_000;

/** @param file SQLite database; its results outlive a restart. `:memory:` for one process. */
export function openCallStore(file: string, now: () => number = Date.now): CallStore {
  const database = openDatabase(
    file,
    `CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, call TEXT NOT NULL, at INTEGER NOT NULL, result TEXT) STRICT;
    CREATE INDEX IF NOT EXISTS calls_at ON calls (at);`,
  );
  const find = database.prepare('SELECT call, result FROM calls WHERE key = ?');
  const claim = database.prepare('INSERT INTO calls (key, call, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const finish = database.prepare('UPDATE calls SET result = ? WHERE key = ?');
  const drop = database.prepare('DELETE FROM calls WHERE key = ? AND result IS NULL');
  const tidy = database.prepare('DELETE FROM calls WHERE at < ?');
  const running = new Map<string, Promise<CallToolResult>>();
  const store: CallStore = {
    async once(key, call, work) {
      tidy.run(now() - LIFE_MS);
      const isFirst = claim.run(key, call, now()).changes === 1;
      if (!isFirst) {
        const known = find.get(key) as { call: string; result: string | null } | undefined;
        if (known !== undefined && known.call !== call)
          fail('This idempotency key was used for another call.', 'Use a new key for a new call.');
        if (known?.result != null) return JSON.parse(known.result) as CallToolResult;
        const first = running.get(key);
        if (first !== undefined)
          return first.catch((error: unknown) => {
            if (error instanceof ToolFailure) throw error;
            return store.once(key, call, work);
          });
        fail(
          'A call with this idempotency key was started and did not end, so nobody knows whether it took effect.',
          'Look whether it took effect before you call again with a new key.',
        );
      }
      const first = work();
      running.set(key, first);
      try {
        const result = await first;
        finish.run(JSON.stringify(result), key);
        return result;
      } catch (error) {
        // It says that it did not do its work: the next call with this key may try again. After a fault, a deadline or a
        // cancellation nobody knows, and the tool may still be at work.
        if (error instanceof ToolFailure || error instanceof InputNeeded) drop.run(key);
        throw error;
      } finally {
        running.delete(key);
      }
    },
    close: () => database.close(),
  };
  return store;
}
