import type { JsonObject } from '../../core/json.ts';
import { MAX_PIECES, readHead } from './split-secrets.ts';
import { eachText, type PlacedText } from './walk-strings.ts';

/** Longer texts are kept by their end alone. Characters. */
const MAX_KEPT = 512;
const END = 132;
/** The client's own, and what no server writes a key into. */
const NOT_SAID: ReadonlySet<string> = new Set(['progressToken', 'level', 'logger']);

/** The last texts of a stream of messages (progress, logs), from the one on that a key may have been begun in. */
export class SaidBefore {
  #texts: readonly PlacedText[] = [];

  get texts(): readonly PlacedText[] {
    return this.#texts;
  }

  /** This message goes on to the client. */
  note(params: JsonObject): void {
    const texts = [...this.#texts];
    eachText(params, (placed) => {
      if (NOT_SAID.has(placed.field) || (texts.length === 0 && readHead(placed.text) === undefined)) return;
      texts.push({ ...placed, text: toKept(placed.text) });
    });
    if (texts.length === 0) return;
    const last = texts.slice(-MAX_PIECES);
    const begun = last.findIndex(({ text }) => readHead(text) !== undefined);
    this.#texts = begun < 0 ? [] : last.slice(begun);
  }
}

/** The sign before it keeps the rest of a word from being taken for the beginning of a text. A slice would keep all of it alive. */
function toKept(text: string): string {
  return text.length <= MAX_KEPT ? text : `…${Buffer.from(text.slice(-END)).toString()}`;
}
