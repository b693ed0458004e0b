import { createHash, randomBytes } from 'node:crypto';
import { toShortId } from '../core/short-id.ts';
import type { KeptSecret, SecretVault } from '../guard/secrets/vault.ts';

export interface MemoryVaultOptions {
  /** Milliseconds of a clock that does not jump (`performance.now`). */
  readonly now: () => number;
  /** Of the configuration in force. */
  readonly limits: () => { readonly minutes: number; readonly entries: number };
}

/** Characters of one owner's values: a thousand private keys. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Of all owners together, as `shared-vault.ts` has it. */
const ALL = { entries: 200_000, characters: 64 * 1024 * 1024 };
/** So many expired ones go at most whenever the vault is asked. */
const MAX_SWEPT = 1_000;
const MINUTE = 60_000;

interface Entry {
  readonly owner: string;
  readonly secret: KeptSecret;
  readonly digest: string;
  readonly keptUntil: number;
}

interface Owned {
  /** Digest -> id, in the order they were last kept. */
  readonly ids: Map<string, string>;
  characters: number;
}

/** The vault of one process: values in memory, each caller's apart, gone at the end of their time or of the process. */
export function createMemoryVault({ now, limits }: MemoryVaultOptions): SecretVault {
  const owners = new Map<string, Owned>();
  /** By id, in the order they were last kept. */
  const all = new Map<string, Entry>();
  let characters = 0;

  function add(id: string, entry: Entry): Owned {
    const { owner, digest, secret } = entry;
    const owned = owners.get(owner) ?? { ids: new Map(), characters: 0 };
    owners.set(owner, owned);
    owned.ids.set(digest, id);
    owned.characters += secret.value.length;
    characters += secret.value.length;
    all.set(id, entry);
    return owned;
  }

  function remove(id: string): void {
    const entry = all.get(id);
    const owned = entry && owners.get(entry.owner);
    if (entry === undefined || owned === undefined) return;
    const { owner, digest, secret } = entry;
    all.delete(id);
    owned.ids.delete(digest);
    owned.characters -= secret.value.length;
    characters -= secret.value.length;
    if (owned.ids.size === 0) owners.delete(owner);
  }

  /** A value that nobody asks for again goes with its time all the same, whoever it belongs to. */
  function sweep(): void {
    const time = now();
    let left = MAX_SWEPT;
    for (const [id, { keptUntil }] of all) {
      if (keptUntil > time || left-- === 0) return;
      remove(id);
    }
  }

  return {
    keep(owner, secrets) {
      sweep();
      const { minutes, entries } = limits();
      const keptUntil = now() + minutes * MINUTE;
      return secrets.map((secret) => {
        const digest = toDigest(secret);
        // No server may guess what stands for another server's value.
        const id = owners.get(owner)?.ids.get(digest) ?? toShortId(randomBytes(16));
        remove(id);
        const owned = add(id, { owner, secret: { ...secret, value: toOwnText(secret.value) }, digest, keptUntil });
        for (const oldest of owned.ids.values())
          if (oldest !== id && (owned.ids.size > entries || owned.characters > MAX_CHARACTERS)) remove(oldest);
          else break;
        for (const oldest of all.keys())
          if (oldest !== id && (all.size > ALL.entries || characters > ALL.characters)) remove(oldest);
          else break;
        return id;
      });
    },
    find(owner, ids) {
      sweep();
      const time = now();
      return ids.map((id) => {
        const entry = all.get(id);
        return entry?.owner === owner && entry.keptUntil > time ? entry.secret : undefined;
      });
    },
  };
}

const ONE_BYTE = /^[\0-\xFF]*$/;

/** A slice would keep the whole message alive. Not by UTF-8, which has no lone surrogates. */
function toOwnText(value: string): string {
  const coding = ONE_BYTE.test(value) ? 'latin1' : 'utf16le';
  return Buffer.from(value, coding).toString(coding);
}

function toDigest({ value, kind, from, upstream }: KeptSecret): string {
  return createHash('sha256').update(`${kind}\0${from}\0${upstream}\0${value}`).digest('base64');
}
