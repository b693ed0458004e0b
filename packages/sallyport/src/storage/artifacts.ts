import { randomBytes } from 'node:crypto';
import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Selectable } from 'kysely';
import {
  type Artifact,
  type ArtifactLimits,
  type ArtifactStore,
  BLOCK,
  type NewArtifact,
  toArtifactId,
} from '../core/artifact.ts';
import type { ByteSource } from '../core/byte-source.ts';
import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import { mayTake } from '../core/shares.ts';
import type { ByteSeal, TextSeal } from '../core/text-seal.ts';
import { type BlockPlace, createFilePlace, createRowPlace, DRAFT, PLAIN, sealedForm } from './artifact-blocks.ts';
import type { Database } from './database.ts';
import { isDiskFull } from './disk-full.ts';
import type { ArtifactTable } from './tables.ts';

/** Of all callers together: what is read of each is small, and the table stays quick. */
const MAX_ROWS = 50_000;
/** Rows and files looked at in one step of a sweep, and steps of one sweep. */
const BATCH = 200;
const MAX_STEPS = 20;
/** What has no row after this long never gets one: its writer is gone. Milliseconds. */
const ORPHAN_MS = 3_600_000;

export interface ArtifactStorePorts {
  readonly database: () => Promise<Database>;
  /** Of the files; made when it is needed. */
  readonly directory: string;
  readonly clock: Clock;
  readonly seal: () => Promise<TextSeal & ByteSeal>;
}

type Row = Selectable<ArtifactTable>;

/** Stored large results of all processes on a state directory: a row each, and its blocks in a file or in rows. */
export function createArtifactStore(ports: ArtifactStorePorts): ArtifactStore {
  return new Store(ports);
}

class Store implements ArtifactStore {
  readonly #ports: ArtifactStorePorts;
  readonly #rows = new WeakMap<Artifact, Row>();

  constructor(ports: ArtifactStorePorts) {
    this.#ports = ports;
  }

  async save(about: NewArtifact, content: ByteSource, limits: ArtifactLimits): Promise<Artifact> {
    const { database, clock, seal, directory } = this.#ports;
    const id = `ar_${randomBytes(16).toString('hex')}`;
    let place: BlockPlace | undefined;
    try {
      const rows = await database();
      await this.#makeRoom(rows, { principal: about.owner.principal, bytes: content.size }, limits);
      place = await this.#placeOf(limits.store, limits.isSealed);
      await place.write(id, toBlocks(content));
      const now = clock.now();
      const row: Row = {
        ...{ id, principal: about.owner.principal, place: limits.store, sealed: limits.isSealed ? 1 : 0 },
        ...{ bytes: content.size, created_at: now, expires_at: now + limits.keepMs },
        about: (await seal()).seal(['artifact', id], JSON.stringify(about)),
      };
      await rows.insertInto('artifact').values(row).execute();
      return this.#toArtifact(row, about);
    } catch (error) {
      await place?.remove(id).catch(() => undefined);
      if (error instanceof FaultError) throw error;
      const why = isDiskFull(error, directory) ? 'the disk of Sallyport is full' : 'it could not be written to disk';
      throw new FaultError('overloaded', `The whole result is not stored: ${why}.`, { cause: error });
    }
  }

  async find(id: string): Promise<Artifact | undefined> {
    const { database, clock, seal } = this.#ports;
    if (toArtifactId(id) !== id) return undefined;
    const row = await (await database())
      .selectFrom('artifact')
      .selectAll()
      .where('id', '=', id)
      .where('expires_at', '>', clock.now())
      .executeTakeFirst();
    if (row === undefined) return undefined;
    try {
      const about = (await seal()).open(['artifact', id], row.about).toString('utf8');
      return this.#toArtifact(row, JSON.parse(about) as NewArtifact); // True: it was sealed here.
    } catch {
      // Sealed under another key: nobody knows whose it is.
      return undefined;
    }
  }

  async open(artifact: Artifact): Promise<ByteSource & { close(): Promise<void> }> {
    const row = this.#rows.get(artifact);
    const place = row && (await this.#placeOf(row.place, Number(row.sealed) === 1));
    const blocks = await place?.open(artifact.id);
    if (blocks === undefined) throw new FaultError('not_found', 'The artifact is not stored any longer.');
    const { bytes } = artifact;
    return {
      size: bytes,
      close: () => blocks.close(),
      async read(start, end) {
        const to = Math.min(end, bytes);
        const parts: Buffer[] = [];
        for (let seq = Math.floor(start / BLOCK); seq * BLOCK < to; seq++) {
          const block = await readBlock(() => blocks.read(seq));
          // Fail closed: less than what was written is a file that was changed.
          if (block?.length !== Math.min(BLOCK, bytes - seq * BLOCK)) throw damaged();
          parts.push(block.subarray(Math.max(0, start - seq * BLOCK), to - seq * BLOCK));
        }
        return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
      },
    };
  }

  async holders(limit: number): Promise<readonly string[]> {
    const rows = await (await this.#ports.database())
      .selectFrom('artifact')
      .select('principal')
      .distinct()
      .where('expires_at', '>', this.#ports.clock.now())
      .limit(limit)
      .execute();
    return rows.map(({ principal }) => principal);
  }

  async sweep(): Promise<void> {
    const { database, clock } = this.#ports;
    const rows = await database();
    for (let step = 0; step < MAX_STEPS; step++) {
      const expired = rows.selectFrom('artifact').selectAll().where('expires_at', '<=', clock.now()).limit(BATCH);
      const found = await expired.execute();
      await this.#remove(rows, found);
      if (found.length < BATCH) break;
    }
    await this.#removeLostRows(rows);
    await this.#removeLostFiles(rows);
  }

  async #placeOf(store: 'files' | 'database', isSealed: boolean): Promise<BlockPlace> {
    const { directory, database, clock, seal } = this.#ports;
    const form = isSealed ? sealedForm(await seal()) : PLAIN;
    return store === 'files' ? createFilePlace(directory, form) : createRowPlace(database, clock, form);
  }

  #toArtifact(row: Row, about: NewArtifact): Artifact {
    const { id, bytes, created_at: createdAt, expires_at: expiresAt } = row;
    const artifact = {
      ...{ ...about, id, bytes: Number(bytes), createdAt: Number(createdAt), expiresAt: Number(expiresAt) },
      // Of the row: whoever reads the rows finds it by that.
      owner: { ...about.owner, principal: row.principal },
    };
    this.#rows.set(artifact, row);
    return artifact;
  }

  /** A caller's oldest artifacts make room for its new ones, and for nobody else's. @throws FaultError `too_large` */
  async #makeRoom(
    rows: Database,
    { principal, bytes }: { readonly principal: string; readonly bytes: number },
    { maxBytes }: ArtifactLimits,
  ): Promise<void> {
    for (let step = 0; step < MAX_STEPS; step++) {
      const all = rows
        .selectFrom('artifact')
        .select((select) => [
          select.fn.countAll<number>().as('count'),
          select.fn.sum<number | null>('bytes').as('sum'),
        ]);
      const used = await all.executeTakeFirstOrThrow();
      const own = await all.where('principal', '=', principal).executeTakeFirstOrThrow();
      const free = maxBytes - Number(used.sum ?? 0) - bytes;
      const hasRows = mayTake(Number(own.count), MAX_ROWS - Number(used.count));
      if (hasRows && free >= 0 && mayTake(Number(own.sum ?? 0), free + 1)) return;
      const oldest = rows.selectFrom('artifact').selectAll().where('principal', '=', principal).orderBy('created_at');
      const found = await oldest.limit(Math.max(1, Math.ceil(Number(own.count) / 8))).execute();
      if (found.length === 0) break;
      await this.#remove(rows, found);
    }
    throw new FaultError(
      'too_large',
      'The whole result is not stored: there is no room for it in the store of Sallyport.',
    );
  }

  /** First the row: what is left of it then is nobody's, and is found by the next sweep. */
  async #remove(rows: Database, artifacts: readonly Row[]): Promise<void> {
    for (const { id, place } of artifacts) {
      await rows.deleteFrom('artifact').where('id', '=', id).execute();
      await (await this.#placeOf(place, false)).remove(id);
    }
  }

  async #removeLostRows(rows: Database): Promise<void> {
    const known = rows.selectFrom('artifact').select('id');
    const lost = await rows
      .selectFrom('artifact_block')
      .select('artifact')
      .distinct()
      .where('written_at', '<', this.#ports.clock.now() - ORPHAN_MS)
      .where('artifact', 'not in', known)
      .limit(BATCH)
      .execute();
    for (const { artifact } of lost) await rows.deleteFrom('artifact_block').where('artifact', '=', artifact).execute();
  }

  async #removeLostFiles(rows: Database): Promise<void> {
    const { directory } = this.#ports;
    let names: string[] = [];
    for await (const { name } of await openFolder(directory)) {
      if (toArtifactId(name.split('.', 1)[0] ?? '') !== undefined) names.push(name);
      if (names.length < BATCH) continue;
      await this.#removeThoseLost(rows, names);
      names = [];
    }
    await this.#removeThoseLost(rows, names);
  }

  async #removeThoseLost(rows: Database, names: readonly string[]): Promise<void> {
    const whole = names.filter((name) => !name.endsWith(DRAFT));
    const known = await rows
      .selectFrom('artifact')
      .select('id')
      .where('id', 'in', [...whole, ''])
      .execute();
    const ids = new Set(known.map(({ id }) => id));
    for (const name of names) {
      const path = join(this.#ports.directory, name);
      if (!ids.has(name) && (await isOlder(path, this.#ports.clock.now() - ORPHAN_MS))) await rm(path, { force: true });
    }
  }
}

async function* toBlocks(content: ByteSource): AsyncIterable<Buffer> {
  for (let start = 0; start < content.size; start += BLOCK)
    yield await content.read(start, Math.min(start + BLOCK, content.size));
}

async function readBlock(read: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
  try {
    return await read();
  } catch (error) {
    throw damaged(error);
  }
}

function damaged(cause?: unknown): FaultError {
  return new FaultError('not_found', 'The stored result is damaged, so that it cannot be read.', { cause });
}

async function openFolder(directory: string): Promise<AsyncIterable<{ readonly name: string }>> {
  try {
    return await opendir(directory);
  } catch {
    // Nothing was stored in files yet.
    return NO_FILES;
  }
}

const NO_FILES: AsyncIterable<{ readonly name: string }> = { async *[Symbol.asyncIterator]() {} };

async function isOlder(path: string, time: number): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs < time;
  } catch {
    return false;
  }
}
