import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from './fail.ts';
import { defineResource, type Resource } from './resource.ts';

/** A link to a stored result, for an output field. */
export interface ArtifactLink {
  readonly uri: string;
  readonly bytes: number;
  /** ISO 8601. */
  readonly expires_at: string;
}

/** Large results in a folder, read in parts by `artifact://{id}/{from}-{to}`. */
export interface Artifacts {
  /** Stores a result; a reader never sees half of it. */
  store(content: string | Uint8Array): Promise<ArtifactLink>;
  /** Bytes of a stored result. @throws ToolFailure when it has expired */
  read(id: string, from?: number, to?: number): Promise<Buffer>;
  /** What a server lists so that clients can read them: the whole, and a range. */
  readonly resources: readonly Resource[];
}

const LIFE_MS = 24 * 3_600_000;
const MAX_RANGE = 1024 * 1024;
const ID = /^[0-9a-f-]{36}$/;

/** @param folder made when it is missing */
export async function openArtifacts(
  folder: string,
  { lifeMs = LIFE_MS, now = Date.now }: { readonly lifeMs?: number; readonly now?: () => number } = {},
): Promise<Artifacts> {
  await mkdir(folder, { recursive: true, mode: 0o700 });

  async function tidy(): Promise<void> {
    for (const name of await readdir(folder)) {
      // The folder may hold files of others.
      if (!ID.test(name.replace(/\.part$/, ''))) continue;
      const file = join(folder, name);
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
      if (mtimeMs + lifeMs < now()) await rm(file, { force: true });
    }
  }

  const artifacts: Artifacts = {
    async store(content) {
      await tidy();
      const id = randomUUID();
      const bytes = Buffer.from(content as string);
      const written = join(folder, `${id}.part`);
      await writeFile(written, bytes, { mode: 0o600, flush: true });
      await rename(written, join(folder, id));
      return { uri: `artifact://${id}`, bytes: bytes.length, expires_at: new Date(now() + lifeMs).toISOString() };
    },
    async read(id, from = 0, to = from + MAX_RANGE) {
      if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to) && 0 <= from && from <= to))
        return fail('A range is from-to, in whole bytes.', `Use a uri such as artifact://{id}/0-${MAX_RANGE}.`);
      if (!ID.test(id)) return fail(`"${id}" is not the id of an artifact.`, 'Use the uri from the result.');
      const file = await open(join(folder, id)).catch(() => undefined);
      if (file === undefined) return fail('This artifact has expired.', 'Call the tool again to get a new one.');
      try {
        const { mtimeMs } = await file.stat();
        if (mtimeMs + lifeMs < now())
          return fail('This artifact has expired.', 'Call the tool again to get a new one.');
        const buffer = Buffer.alloc(Math.min(to - from, MAX_RANGE));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    resources: [],
  };
  const range = defineResource({
    uri: 'artifact://{id}/{from}-{to}',
    name: 'artifact-range',
    description: `Bytes of a stored result, at most ${MAX_RANGE} at once`,
    mimeType: 'application/octet-stream',
    read: (_, { id = '', from = '', to = '' }) => artifacts.read(id, Number(from), Number(to)),
  });
  const whole = defineResource({
    uri: 'artifact://{id}',
    name: 'artifact',
    description: `The first ${MAX_RANGE} bytes of a stored result`,
    mimeType: 'application/octet-stream',
    read: (_, { id = '' }) => artifacts.read(id),
  });
  return { ...artifacts, resources: [whole, range] };
}
