import { createHash } from 'node:crypto';

/** What one server contributes to one namespace (tools or prompts), in its own order. */
export interface ServerNames {
  readonly server: string;
  /** As chosen by the operator's prefix mode; empty: no prefix. */
  readonly prefix: string;
  readonly names: readonly string[];
}

/** Names both ways; both sides are Maps because the names come from strangers. */
export interface PublicNames {
  readonly toPublic: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly toOwn: ReadonlyMap<string, { readonly server: string; readonly name: string }>;
}

/**
 * What the APIs of OpenAI and Anthropic take for a tool; one other name in a request makes them refuse the whole request.
 * The specification allows dots and 128 characters.
 */
const PUBLIC_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAME = 64;
const HASH_LENGTH = 8;
/** What a long name keeps of its prefix at least: enough to tell servers apart by eye. */
const MIN_PREFIX = 20;

/**
 * Gives every name of every server a public name of `[A-Za-z0-9_-]{1,64}`, unique on the endpoint: `<prefix>_<name>`
 * where that fits and is free, else the same with `_` for dots, else a readable head of both and a hash of server and
 * name. Servers are served in the order given, so names of a server never depend on servers after it.
 */
export function assignNames(servers: readonly ServerNames[]): PublicNames {
  const toPublic = new Map<string, Map<string, string>>();
  const toOwn = new Map<string, { server: string; name: string }>();
  for (const { server, prefix, names } of servers) {
    const mine = new Map<string, string>();
    toPublic.set(server, mine);
    const take = (name: string, publicName: string) => {
      mine.set(name, publicName);
      toOwn.set(publicName, { server, name });
    };
    const takeFree = (open: readonly string[], toName: (plain: string) => string): readonly string[] =>
      open.filter((name) => {
        const wanted = toName(prefix === '' ? name : `${prefix}_${name}`);
        const isFree = PUBLIC_NAME.test(wanted) && !toOwn.has(wanted);
        if (isFree) take(name, wanted);
        return !isFree;
      });
    // One after the other: a tool whose real name looks like the repaired or short form of another keeps its own.
    const unfit = takeFree([...new Set(names)], (plain) => plain);
    for (const name of takeFree(unfit, (plain) => plain.replaceAll('.', '_'))) {
      let short = shortenName({ server, prefix, name }, '');
      for (let salt = 1; toOwn.has(short); salt++) short = shortenName({ server, prefix, name }, `\0${salt}`);
      take(name, short);
    }
  }
  return { toPublic, toOwn };
}

function shortenName(named: { server: string; prefix: string; name: string }, salt: string): string {
  const { server, prefix, name } = named;
  const hash = createHash('sha256').update(`${server}\0${name}${salt}`).digest('hex').slice(0, HASH_LENGTH);
  const room = MAX_NAME - HASH_LENGTH - 1;
  const tail = toNameCharacters(name);
  if (prefix === '') return `${tail.slice(0, room)}_${hash}`;
  const head = toNameCharacters(prefix).slice(0, Math.max(MIN_PREFIX, room - 1 - tail.length));
  return `${head}_${tail.slice(0, room - 1 - head.length)}_${hash}`;
}

/** Anything as characters that every client and model API accepts; not reversible by itself, which is why a hash follows. */
export function toNameCharacters(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, '_');
}
