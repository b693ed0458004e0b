import type { Json, JsonObject } from '../../core/json.ts';
import type { TextSize } from './count-text.ts';
import type { Cut } from './fit-json.ts';

/** Where a part is now, or why it is nowhere. */
export type Stored = { readonly uri: string; readonly expiresAt: number } | { readonly problem: string };

/** One part of a result of which something was left out. */
export interface LeftOut {
  /** `structuredContent`, `content` or `content[2]`. */
  readonly where: string;
  readonly form: 'text' | 'json' | 'binary';
  readonly mimeType: string;
  /** Of the whole. */
  readonly bytes: number;
  readonly size?: Readonly<TextSize> | undefined;
  readonly stored: Stored;
  readonly cuts: readonly Cut[];
  /** Characters of a text that are still there. */
  readonly kept?: { readonly head: number; readonly tail: number } | undefined;
}

/** Of one part, more are not named. */
const MAX_SAID = 6;

/** What a model is told at the end of the content: what was left out, and how it reads the rest. */
export function explain(leftOut: readonly LeftOut[]): string {
  const stored = leftOut.flatMap((one) => ('uri' in one.stored ? [one.stored] : []));
  const lines = [
    'The tool ran, and its result is larger than fits here, so that parts of it are left out.',
    ...leftOut.map((one) => `- ${sayPart(one)}`),
  ];
  const [first] = stored;
  if (first === undefined) return lines.join('\n');
  const uri = JSON.stringify(first.uri);
  return [
    ...lines,
    `Read more with the tool read_artifact: {"artifact":${uri},"offset":10000} gives a range of characters, {"artifact":${uri},"search":"word"} finds text, and {"artifact":${uri},"path":"$.name[20:40]"} gives a part of JSON. Do not call the tool again for that. Until ${new Date(first.expiresAt).toISOString()}.`,
  ].join('\n');
}

function sayPart({ where, form, bytes, size, stored, cuts, kept }: LeftOut): string {
  const length = size === undefined ? `${bytes} bytes` : `${size.characters} characters, ${size.lines + 1} lines`;
  const place = 'uri' in stored ? `whole in ${stored.uri}` : stored.problem;
  const parts = cuts.slice(0, MAX_SAID).map(sayOneCut);
  if (cuts.length > MAX_SAID) parts.push(`${cuts.length - MAX_SAID} more parts`);
  if (kept !== undefined) parts.push(`the first ${kept.head} and the last ${kept.tail} characters are here`);
  return `${where} (${form}, ${length}): ${[...parts, place].join('; ')}.`;
}

function sayOneCut({ path, kind, head, tail, all }: Cut): string {
  return `${path} has ${all} ${kind}, here are ${tail === 0 ? `the first ${head}` : `the first ${head} and the last ${tail}`}`;
}

/** For programs, and for models that are given structured content alone. */
export function toNote({ stored, cuts }: Pick<LeftOut, 'stored' | 'cuts'>): JsonObject {
  const place = 'uri' in stored ? { uri: stored.uri } : { problem: stored.problem };
  return { ...place, leftOut: cuts.slice(0, MAX_SAID).map(sayOneCut) };
}

/** What `_meta` says of one part. */
export function toMeta({ where, form, mimeType, bytes, size, stored, cuts }: LeftOut): Json {
  return {
    where,
    form,
    mimeType,
    bytes,
    ...(size === undefined ? {} : { characters: size.characters }),
    ...('uri' in stored
      ? { uri: stored.uri, expires: new Date(stored.expiresAt).toISOString() }
      : { problem: stored.problem }),
    cuts: cuts.map((cut) => ({ ...cut })),
  };
}
