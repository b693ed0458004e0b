import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOCK } from '../core/artifact.ts';
import type { Clock } from '../core/clock.ts';
import { type ByteSeal, SEAL_BYTES } from '../core/text-seal.ts';
import type { Database } from './database.ts';

/** Where the blocks of artifacts are: block by block, so that any of them is read alone. */
export interface BlockPlace {
  /** Nothing is visible under the id before all blocks are on disk. @throws what the disk or the database throws */
  write(id: string, blocks: AsyncIterable<Buffer>): Promise<void>;
  /** `undefined`: there is nothing under the id. */
  open(id: string): Promise<OpenBlocks | undefined>;
  remove(id: string): Promise<void>;
}

export interface OpenBlocks {
  /** `undefined`: there is no such block. */
  read(seq: number): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** How blocks are written: sealed, each for its place, or as they are. */
export interface BlockForm {
  toStored(id: string, seq: number, block: Buffer): Buffer;
  /** @throws Error for what was changed */
  fromStored(id: string, seq: number, stored: Buffer): Buffer;
  /** Of a full block. */
  readonly size: number;
}

export const PLAIN: BlockForm = {
  toStored: (_id, _seq, block) => block,
  fromStored: (_id, _seq, block) => block,
  size: BLOCK,
};

export function sealedForm(seal: ByteSeal): BlockForm {
  const context = (id: string, seq: number) => ['artifact', id, String(seq)];
  return {
    toStored: (id, seq, block) => seal.sealBytes(context(id, seq), block),
    fromStored: (id, seq, stored) => seal.openBytes(context(id, seq), stored),
    size: BLOCK + SEAL_BYTES,
  };
}

/** The ending of what is not whole yet. */
export const DRAFT = '.part';

/** One file for each artifact. */
export function createFilePlace(directory: string, form: BlockForm): BlockPlace {
  return {
    async write(id, blocks) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const draft = join(directory, `${id}.${randomBytes(4).toString('hex')}${DRAFT}`);
      try {
        const file = await open(draft, 'wx', 0o600);
        try {
          let seq = 0;
          for await (const block of blocks) await file.writeFile(form.toStored(id, seq++, block));
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, join(directory, id));
        await syncFolder(directory);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    async open(id) {
      const file = await openFile(join(directory, id));
      if (file === undefined) return undefined;
      return {
        async read(seq) {
          const stored = Buffer.allocUnsafe(form.size);
          const { bytesRead } = await file.read(stored, 0, form.size, seq * form.size);
          return bytesRead === 0 ? undefined : form.fromStored(id, seq, stored.subarray(0, bytesRead));
        },
        close: () => file.close(),
      };
    },
    remove: (id) => rm(join(directory, id), { force: true }),
  };
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A name is on disk once its folder is. */
async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Rows: visible with the row of the artifact, which is written after them. */
export function createRowPlace(database: () => Promise<Database>, clock: Clock, form: BlockForm): BlockPlace {
  return {
    async write(id, blocks) {
      const rows = await database();
      let seq = 0;
      for await (const block of blocks) {
        const body = form.toStored(id, seq, block).toString('base64');
        const row = { artifact: id, seq: seq++, body, written_at: clock.now() };
        await rows.insertInto('artifact_block').values(row).execute();
      }
    },
    async open(id) {
      const rows = await database();
      return {
        async read(seq) {
          const row = await rows
            .selectFrom('artifact_block')
            .select('body')
            .where('artifact', '=', id)
            .where('seq', '=', seq)
            .executeTakeFirst();
          return row && form.fromStored(id, seq, Buffer.from(row.body, 'base64'));
        },
        async close() {},
      };
    },
    async remove(id) {
      await (await database()).deleteFrom('artifact_block').where('artifact', '=', id).execute();
    },
  };
}
