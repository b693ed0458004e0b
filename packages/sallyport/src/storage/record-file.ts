import { isObject, type JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { createStateFile } from './state-file.ts';

/** Small records by key, kept over restarts. */
export interface RecordFile {
  get(key: string): JsonObject | undefined;
  /** `undefined` forgets the record. Written behind; a failure is logged. */
  set(key: string, record: JsonObject | undefined): void;
  /** Resolves when everything set so far is written. */
  saved(): Promise<void>;
}

const MAX_RECORDS = 10_000;

/** A damaged file is forgotten, not fatal: what it held is found again. */
export async function openRecordFile(path: string, log: Log): Promise<RecordFile> {
  const file = createStateFile(path);
  const records = new Map<string, JsonObject>();
  const text = await file.load();
  if (text !== undefined) {
    try {
      const kept: unknown = JSON.parse(text);
      if (isObject(kept)) for (const [key, value] of Object.entries(kept)) if (isObject(value)) records.set(key, value);
    } catch {
      log.warn({ file: path }, 'the file is damaged and starts empty');
    }
  }
  let saving: Promise<void> = Promise.resolve();
  let queued = false;
  return {
    get: (key) => records.get(key),
    set(key, record) {
      if (records.size >= MAX_RECORDS && !records.has(key)) records.clear();
      if (record === undefined) records.delete(key);
      else records.set(key, record);
      if (queued) return;
      queued = true;
      saving = saving.then(() => {
        queued = false;
        return file.save(JSON.stringify(Object.fromEntries(records), undefined, 2)).catch((error: unknown) => {
          log.warn({ file: path, error }, 'the file could not be written');
        });
      });
    },
    saved: () => saving,
  };
}
