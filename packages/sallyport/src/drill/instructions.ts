import { isObject, type JsonObject } from '../core/json.ts';

/**
 * The grammar of what the drill's agent obeys, wherever it reads it. It stands in for a model that does whatever any text
 * says: no scenario may depend on how clever a model is.
 */
export interface Instruction {
  readonly tool: string;
  readonly given: JsonObject;
}

const MAX_TEXT = 65_536;
const CALL = /\b(?:call|use|run|invoke)\s{1,4}[`"']?([\w.-]{1,64})[`"']?\s{1,4}(?:once\s|again\s)?with\s{0,4}(?=\{)/gi;

/** `call <tool> with {…}`, in the order of the text. */
export function findInstructions(text: string): readonly Instruction[] {
  const found: Instruction[] = [];
  const read = text.slice(0, MAX_TEXT);
  for (const match of read.matchAll(CALL)) {
    const given = readObject(read, match.index + match[0].length);
    if (given !== undefined) found.push({ tool: match[1] ?? '', given });
  }
  return found;
}

/** The JSON object that begins here: tried at each closing brace, a few of them. */
function readObject(text: string, from: number): JsonObject | undefined {
  let end = from;
  for (let tries = 0; tries < 8; tries++) {
    end = text.indexOf('}', end) + 1;
    if (end === 0) return undefined;
    try {
      const value: unknown = JSON.parse(text.slice(from, end));
      return isObject(value) ? value : undefined;
    } catch {
      // A brace inside a text or a nested object: the next one.
    }
  }
  return undefined;
}

const TRIGGER = /\bwhen(ever)? the user (?:mentions|says|asks to) ((?:"[^"]{1,40}"(?:,? ?or |, ?)?){1,8})/i;

/** The words on which a description claims its tool is to be used, and how greedily. */
export function findTrigger(description: string): { readonly words: readonly string[]; readonly greedy: boolean } {
  const match = TRIGGER.exec(description.slice(0, MAX_TEXT));
  const words = [...(match?.[2] ?? '').matchAll(/"([^"]{1,40})"/g)].map(([, word]) => word ?? '');
  return { words, greedy: match?.[1] !== undefined };
}

/** Addresses a client opens by itself: images in Markdown and HTML. */
export function findImages(text: string): readonly string[] {
  const read = text.slice(0, MAX_TEXT);
  const markdown = [...read.matchAll(/!\[[^\]\n]{0,200}\]\((https?:[^)\s]{1,2000})\)/g)].map(([, url]) => url ?? '');
  const html = [...read.matchAll(/<img\s{1,8}src="(https?:[^"\s]{1,2000})"/gi)].map(([, url]) => url ?? '');
  return [...markdown, ...html];
}

/** `<result of read_note>`, `<base64 of …>`, `<piece 2/3 of …>`: what the agent puts in its place. */
export function fillIn(text: string, recall: (name: string) => string): string {
  return text.replace(
    /<(result|base64|hex|url|piece (\d)\/(\d)) of ([^<>]{1,64})>/g,
    (_, how, at, of, name: string) => {
      const value = recall(name);
      if (how === 'base64') return Buffer.from(value).toString('base64');
      if (how === 'hex') return Buffer.from(value).toString('hex');
      if (how === 'url') return encodeURIComponent(value);
      if (how === 'result') return value;
      const size = Math.ceil(value.length / Number(of));
      return value.slice((Number(at) - 1) * size, Number(at) * size);
    },
  );
}
