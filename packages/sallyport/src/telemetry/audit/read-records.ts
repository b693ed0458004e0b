import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../core/json.ts';
import { firstSeqOf, listChains, listSegments } from './segments.ts';

/** A record as it stands and as it reads. */
export interface AuditRecord {
  readonly chain: string;
  readonly line: string;
  readonly value: JsonObject;
}

/** Every record of every chain, chain by chain in the order of writing; half a record at an end is left out. */
export async function* readRecords(directory: string, signal?: AbortSignal): AsyncGenerator<AuditRecord> {
  for (const chain of await listChains(directory)) {
    for (const name of await listSegments(join(directory, chain))) {
      signal?.throwIfAborted();
      const bytes = await readFile(join(directory, chain, name));
      yield* toRecords(chain, bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1));
    }
  }
}

function* toRecords(chain: string, bytes: Buffer): Generator<AuditRecord> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    const line = bytes.toString('utf8', at, end);
    at = end + 1;
    const value = parse(line);
    if (value !== undefined) yield { chain, line, value };
  }
}

/** What is no record is for `audit verify` to name. */
function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Remembers how far each chain has been read, and reads what was added since. */
export class RecordFollower {
  readonly #directory: string;
  readonly #read = new Map<string, { readonly name: string; readonly bytes: number }>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** What is new since the last time; the first time nothing is. */
  async next(): Promise<AuditRecord[]> {
    const found: AuditRecord[] = [];
    const isFirst = this.#read.size === 0;
    for (const chain of await listChains(this.#directory)) {
      const known = this.#read.get(chain);
      const names = await listSegments(join(this.#directory, chain));
      // The one that was read last may have been set aside or retired: what came before it is not new.
      const from = known === undefined ? 0 : firstSeqOf(known.name);
      const unread = isFirst ? names.slice(-1) : names.filter((name) => firstSeqOf(name) >= from);
      for (const name of unread) {
        const start = known?.name === name ? known.bytes : 0;
        const bytes = await readFrom(join(this.#directory, chain, name), start);
        const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
        this.#read.set(chain, { name, bytes: start + whole.length });
        if (!isFirst) found.push(...toRecords(chain, whole));
      }
    }
    return found;
  }
}

async function readFrom(path: string, start: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.max(0, size - start));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
