import { isObject, type Json } from '../../../core/json.ts';
import { toStep } from '../../../core/json-pointer.ts';
import { readText } from '../scan-text.ts';
import { textOfBytes } from './bytes-text.ts';
import { type Findings, isBlock } from './findings.ts';

/** Two words at least: identifiers want nothing. Characters. */
const MIN_TEXT = 12;
/** More strings than any message within the limits of size holds for a purpose. */
const MAX_STRINGS = 1_000_000;
/** Names that say something are longer than names of things. Characters. */
export const MIN_NAME = 16;
const MAX_NAMES = 10_000;
const ENCODED = /^[A-Za-z0-9+/_-]{64}/;
const PROTOCOL = /^[a-z][a-zA-Z]{0,23}$/;

/**
 * Reads every string below a value, and every name a server chose, that is not changed in any mode: structured content, a
 * server request, `_meta`, what this program does not know. Its depth is bounded by what a message may have.
 */
export function readFixed(value: Json | undefined, where: string, found: Findings): void {
  // Numbers and flags cost nothing.
  if (typeof value !== 'object' && typeof value !== 'string') return;
  new Walk(found).visit(value, where);
}

class Walk {
  #left = MAX_STRINGS;
  readonly #found: Findings;

  constructor(found: Findings) {
    this.#found = found;
  }

  visit(value: Json | undefined, where: string): void {
    if (typeof value === 'string') this.#read(value, where);
    else if (Array.isArray(value))
      for (const [i, item] of value.entries()) {
        if (typeof item === 'object' || typeof item === 'string') this.visit(item as Json, `${where}/${i}`);
      }
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) {
        if (key.length >= MIN_NAME) readName(key, where, this.#found);
        if ((key === 'data' || key === 'blob') && typeof item === 'string' && ENCODED.test(item))
          this.#readBytes(item, `${where}/${key}`);
        else if (typeof item === 'object' || typeof item === 'string') this.visit(item, `${where}/${toShortStep(key)}`);
      }
  }

  /** A picture or a sound is megabytes of it, and no text. */
  #readBytes(base64: string, where: string): void {
    const text = textOfBytes(base64);
    if (text !== undefined) this.#read(text, where);
  }

  /** Fail closed: what is not read counts as found. */
  #giveUp(where: string): void {
    this.#found.add({
      ...{ id: 'too-much-to-read', tier: 'block', owasp: 'MCP06', where, start: 0, end: 0, evidence: '' },
      why: `It holds more than ${MAX_STRINGS} texts, which are not read.`,
      fix: 'Ask the server for less at once.',
    });
  }

  #read(text: string, where: string): void {
    if (text.length < MIN_TEXT || this.#left <= 0) return;
    this.#left--;
    this.#found.read(text, where);
    if (this.#left === 0) this.#giveUp(where);
  }
}

/** A name may be a sentence: `ignoreAllPreviousInstructions`, `do_not_tell_the_user`. Of a name only the block tier counts. */
export function readName(name: string, where: string, found: Findings): void {
  const { names } = found;
  if ((PROTOCOL.test(name) && !/[A-Z].*[A-Z]/.test(name)) || names.has(name) || names.size >= MAX_NAMES) return;
  names.add(name);
  const { findings } = readText(toWords(name)).scan;
  for (const finding of findings) if (isBlock(finding)) found.add({ ...finding, where });
}

/** What an identifier says: its parts as words. */
export function toWords(name: string): string {
  return name.replace(/[_.-]{1,8}/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
}

/** Where a name stands, cut: a stranger chose its length. */
export function toShortStep(key: string): string {
  return toStep(key.slice(0, 64));
}
