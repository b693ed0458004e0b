import { createHash, randomBytes } from 'node:crypto';
import type { KeptSecret, SecretVault } from '../guard/secrets/vault.ts';

export interface MemoryVaultOptions {
  /** Milliseconds of a clock that does not jump (`performance.now`). */
  readonly now: () => number;
  /** Of the configuration in force. */
  readonly limits: () => { readonly minutes: number; readonly entries: number };
}

/** Callers whose values are kept; the one that masked longest ago makes room. */
const MAX_OWNERS = 1_000;
/** Characters of one owner's values: a thousand private keys. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MINUTE = 60_000;

interface Entry {
  readonly secret: KeptSecret;
  readonly digest: string;
  keptUntil: number;
}

/** In the order they were last kept. */
interface Owned {
  readonly byId: Map<string, Entry>;
  readonly byDigest: Map<string, string>;
  characters: number;
}

/** The vault of one process: values in memory, each caller's apart, gone at the end of their time or of the process. */
export function createMemoryVault({ now, limits }: MemoryVaultOptions): SecretVault {
  const owners = new Map<string, Owned>();

  function ownedBy(owner: string): Owned {
    const owned = owners.get(owner) ?? { byId: new Map(), byDigest: new Map(), characters: 0 };
    owners.delete(owner);
    owners.set(owner, owned);
    for (const oldest of owners.keys()) if (owners.size > MAX_OWNERS) owners.delete(oldest);
    return owned;
  }

  return {
    keep(owner, secrets) {
      const { minutes, entries } = limits();
      const owned = ownedBy(owner);
      const keptUntil = now() + minutes * MINUTE;
      return secrets.map((secret) => {
        const digest = toDigest(secret);
        const id = owned.byDigest.get(digest) ?? toId();
        const before = owned.byId.get(id);
        if (before !== undefined) remove(owned, id, before);
        owned.byId.set(id, { secret, digest, keptUntil });
        owned.byDigest.set(digest, id);
        owned.characters += secret.value.length;
        for (const [oldest, entry] of owned.byId)
          if (
            oldest !== id &&
            (owned.byId.size > entries || owned.characters > MAX_CHARACTERS || entry.keptUntil <= now())
          )
            remove(owned, oldest, entry);
          else break;
        return id;
      });
    },
    find(owner, ids) {
      const owned = owners.get(owner);
      return ids.map((id) => {
        const entry = owned?.byId.get(id);
        return entry === undefined || entry.keptUntil <= now() ? undefined : entry.secret;
      });
    },
  };
}

function remove(owned: Owned, id: string, { digest, secret }: Entry): void {
  owned.byId.delete(id);
  owned.byDigest.delete(digest);
  owned.characters -= secret.value.length;
}

function toDigest({ value, kind, from, upstream }: KeptSecret): string {
  return createHash('sha256').update(`${kind}\0${from}\0${upstream}\0${value}`).digest('base64');
}

const SIGNS = 'abcdefghijklmnopqrstuvwxyz234567';

/** 80 bits, so that no server guesses what stands for another server's value. */
function toId(): string {
  return [...randomBytes(16)].map((byte) => SIGNS[byte & 31]).join('');
}
