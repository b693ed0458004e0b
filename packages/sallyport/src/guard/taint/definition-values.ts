import type { Role } from '../../config/taint-section.ts';
import type { Json } from '../../core/json.ts';
import type { ShownDefinition, ShownDefinitions } from '../../core/shown-definitions.ts';
import { findNumbers } from './find-words.ts';
import type { Printer } from './fingerprints.ts';
import { fold } from './normalise.ts';
import { PrintList } from './print-list.ts';
import { type AskedLeaf, hostOf, type Range } from './read-call.ts';
import { walkLeaves } from './walk-leaves.ts';

/** What a value in a definition can decide: where something goes, which file, what runs, who gets it. */
type Kind = 'address' | 'host' | 'path' | 'command' | 'account';

/** Prints -> the definitions that gave them. */
type Table = ReadonlyMap<number, readonly ShownDefinition[]>;

/** The values of everything that a client is shown, by what they can decide. */
export type DefinitionValues = Readonly<Record<Kind | 'piece', Table>>;

/** Characters of one definition: the rest of a longer one is not looked through. */
const MAX_TEXT = 32_768;
const MAX_VALUES = 500;
/** Definitions with the same value that are told apart. */
const MAX_ORIGINS = 8;

const HOST = String.raw`(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,6}[a-z]{2,24}`;
/** A pattern is tried only where the sign is there that it cannot do without. */
const PATTERNS: readonly (readonly [Kind, string, RegExp])[] = [
  ['address', '://', /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>()[\]{}]{2,400}/gi],
  ['address', '@', /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,24}){1,5}/g],
  ['host', '.', new RegExp(String.raw`(?<![\w.@/-])${HOST}(?![\w@-])`, 'gi')],
  ['host', '.', /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g],
  ['path', '/', /(?<![\w:/\\.~])(?:~|\.{1,2})?\/[\w.~-]{1,80}(?:\/[\w.~-]{1,80}){0,12}/g],
  ['path', '\\', /(?<!\w)[A-Za-z]:\\[\w.~-]{1,80}(?:\\[\w.~-]{1,80}){0,12}/g],
  ['path', '.', /(?<![\w/\\.])(?:[\w-]{1,60}\/){0,6}\.?[\w-]{0,60}\.[a-z][\w-]{0,30}(?:\/[\w.-]{1,60}){0,6}/g],
  ['account', '', /\b(?:[A-Z]{2}\d{2}[A-Z0-9]{8,28}|0x[0-9a-fA-F]{40}|[A-Z]\d[A-Z0-9]{7,11})\b/g],
  ['command', '`', /`[^`\n]{4,400}`/g],
  [
    'command',
    ' ',
    /\b(?:curl|wget|rm|sudo|chmod|chown|bash|zsh|sh|python3?|node|npx|npm|pip3?|nc|ncat|cat|echo|eval|powershell|iwr|osascript|ssh|scp|dd|kill|crontab|export|base64)\s[^\n"]{3,300}|\b(?:DROP|DELETE FROM|INSERT INTO|UPDATE|ALTER|GRANT|TRUNCATE)\s[^\n"]{3,300}/g,
  ],
];

const made = new WeakMap<ShownDefinitions, DefinitionValues>();

/** Once for the same lists. */
export function valuesOf(shown: ShownDefinitions, printer: Printer): DefinitionValues {
  let values = made.get(shown);
  if (values === undefined) {
    values = readAll(shown, printer);
    made.set(shown, values);
  }
  return values;
}

/** The definitions that gave what the value says, where it decides something of this kind. */
export function findOrigins(
  { role, whole, host, words, grams }: AskedLeaf,
  values: DefinitionValues,
  prints: PrintList,
): readonly ShownDefinition[] {
  const at = (table: Table, index: number) => (index < 0 ? undefined : table.get(toNumber(prints, index)));
  const within = (table: Table, range: Range) => {
    for (let i = range[0]; i < range[1]; i++) {
      const found = at(table, i);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const any = (kinds: readonly Kind[]) => {
    for (const kind of kinds) {
      const found = at(values[kind], whole) ?? within(values[kind], words);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const found = any(KINDS[role] ?? []) ?? (role === 'address' ? at(values.host, host) : undefined);
  return found ?? (role === 'command' ? findPieces(values.piece, { prints, grams }) : NONE);
}

const NONE: readonly ShownDefinition[] = Object.freeze([]);

const KINDS: Readonly<Partial<Record<Role, readonly Kind[]>>> = {
  recipient: ['address', 'account', 'host'],
  address: ['address', 'host'],
  path: ['path'],
  command: ['command', 'address'],
};

/** Of a command: most of it, or as much as nobody writes twice by chance. A definition keeps two pieces of seven. */
function findPieces(
  pieces: Table,
  { prints, grams }: { readonly prints: PrintList; readonly grams: Range },
): readonly ShownDefinition[] {
  let count = 0;
  let first: readonly ShownDefinition[] = NONE;
  for (let i = grams[0]; i < grams[1]; i++) {
    const found = pieces.get(toNumber(prints, i));
    if (found === undefined) continue;
    if (count++ === 0) first = found;
  }
  return count >= MANY_PIECES || (count > 0 && count * 5 >= grams[1] - grams[0]) ? first : NONE;
}

const MANY_PIECES = 8;

type Tables = Readonly<Record<Kind | 'piece', Map<number, ShownDefinition[]>>>;

function readAll({ all }: ShownDefinitions, printer: Printer): DefinitionValues {
  const tables: Tables = {
    ...{ address: new Map(), host: new Map(), path: new Map() },
    ...{ command: new Map(), account: new Map(), piece: new Map() },
  };
  for (const one of all)
    for (const [kind, value] of findValues(one.definition)) {
      put(tables[kind], one, (prints) => printer.add('value', value, prints));
      if (kind === 'command') put(tables.piece, one, (prints) => printer.addGrams(fold(value), prints));
    }
  return tables;
}

type Found = readonly (readonly [Kind, string])[];

/** By the definition, which stays the same object from one list to the next. */
const read = new WeakMap<object, Found>();

function findValues(definition: Json): Found {
  if (typeof definition !== 'object' || definition === null) return readValues(definition);
  let found = read.get(definition);
  if (found === undefined) {
    found = readValues(definition);
    read.set(definition, found);
  }
  return found;
}

function readValues(definition: Json): Found {
  let left = MAX_TEXT;
  const found: (readonly [Kind, string])[] = [];
  const add = (kind: Kind, value: string): void => {
    if (value.length >= SHORTEST && found.length < MAX_VALUES) found.push([kind, value]);
  };
  for (const { text, isName, isNumber } of walkLeaves(definition).leaves) {
    if (isName || isNumber || text.length < SHORTEST || PLAIN_WORD.test(text)) continue;
    const part = text.slice(0, left);
    left -= part.length;
    for (const [kind, sign, pattern] of PATTERNS) {
      if (!part.includes(sign)) continue;
      for (const [one] of part.matchAll(pattern)) {
        const value = one.replace(/^`|[`.,;:!?]{1,8}$/g, '');
        add(kind, value);
        const host = kind === 'address' && value.includes('://') ? hostOf(value) : undefined;
        if (host !== undefined) add('host', host);
      }
    }
    findNumbers(part, (number) => add('account', number));
    if (left <= 0) break;
  }
  return found;
}

const SHORTEST = 4;
/** Types and names in a schema. */
const PLAIN_WORD = /^[A-Za-z_]{1,40}$/;

function put(table: Map<number, ShownDefinition[]>, one: ShownDefinition, print: (into: PrintList) => void): void {
  const prints = new PrintList(8);
  print(prints);
  for (let i = 0; i < prints.size; i++) {
    const key = toNumber(prints, i);
    const known = table.get(key);
    if (known === undefined) table.set(key, [one]);
    else if (known.length < MAX_ORIGINS && !known.includes(one)) known.push(one);
  }
}

/** Of the 64 bits of a print as many as a number holds. */
function toNumber({ high, low }: PrintList, index: number): number {
  return (high[index] ?? 0) * 0x20_0000 + ((low[index] ?? 0) >>> 11);
}
