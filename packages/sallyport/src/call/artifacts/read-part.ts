import { toArtifactUri } from '../../core/artifact.ts';
import { partOf } from '../../core/byte-source.ts';
import { FaultError } from '../../core/errors.ts';
import { type JsonObject, member } from '../../core/json.ts';
import type { Pause } from '../../core/pace.ts';
import { fitJson } from '../fit/fit-json.ts';
import type { OpenArtifact } from '../large-results.ts';
import { findValues, parsePath } from './json-path.ts';
import { findLine, findText, MAX_SEARCHED, readRange } from './read-range.ts';

/** Characters of one part, unless another length is asked for. */
const LENGTH = 10_000;
/** Places of one search. */
const MOST_FOUND = 20;
/** Of binary data. Bytes. */
const MOST_BINARY = 262_144;

/**
 * One part of an artifact, as the content of a tool's result: first the part itself, then what it is and how to go on.
 * @param most characters that the caller takes at once
 * @throws FaultError `invalid_params` for what cannot be read that way
 */
export async function readPart(
  opened: OpenArtifact,
  body: JsonObject,
  { most, pause }: { readonly most: number; readonly pause: Pause },
): Promise<JsonObject> {
  const [path, search] = [member(body, 'path'), member(body, 'search')];
  const about = { opened, length: Math.min(most, toNumber(body, 'length') ?? LENGTH), pause };
  if (opened.artifact.form === 'binary') return readBinary(opened, body);
  if (typeof path === 'string') return readPath(about, path);
  const line = toNumber(body, 'line');
  const offset = line === undefined ? toNumber(body, 'offset') : await findLine(opened.source, opened.artifact, line);
  if (typeof search === 'string') return searchFor(about, search, offset ?? 0);
  return readCharacters(about, offset ?? 0);
}

interface About {
  readonly opened: OpenArtifact;
  readonly length: number;
  readonly pause: Pause;
}

function toNumber(body: JsonObject, key: string): number | undefined {
  const value = member(body, key);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

async function readCharacters({ opened: { source, artifact }, length }: About, offset: number): Promise<JsonObject> {
  const { characters } = artifact;
  if (offset >= characters && characters > 0)
    throw new FaultError('invalid_params', `The artifact has ${characters} characters: "offset" must be less.`);
  const { text, start, end } = await readRange(source, artifact, { offset, length });
  const next = end < characters ? ` Next: {"offset":${end}}.` : ' This is its end.';
  return toResult(text, `Characters ${start} to ${end} of ${characters}.${next}`);
}

async function searchFor({ opened, pause }: About, word: string, offset: number): Promise<JsonObject> {
  const { source, artifact } = opened;
  if (word.trim() === '' || word.length > MAX_SEARCHED)
    throw new FaultError('invalid_params', `"search" is a text of 1 to ${MAX_SEARCHED} characters.`);
  const found = await findText(source, artifact, { word, offset, most: MOST_FOUND, pause });
  const places = found.map((one) => `line ${one.line}, offset ${one.offset}: ${one.text}`).join('\n\n');
  const last = found.at(-1);
  const more =
    found.length === MOST_FOUND && last !== undefined ? ` Go on with {"offset":${last.offset + word.length}}.` : '';
  return toResult(places, found.length === 0 ? 'It was not found.' : `${found.length} places.${more}`);
}

async function readPath({ opened, length, pause }: About, path: string): Promise<JsonObject> {
  const { source, artifact } = opened;
  const steps = parsePath(path);
  if (artifact.form !== 'json')
    throw new FaultError('invalid_params', 'The artifact is a text and not JSON: use "offset", "line" or "search".');
  const found = await findValues(source, steps, pause);
  if (found === undefined) throw new FaultError('invalid_params', 'The artifact is not JSON.');
  const parts: string[] = [];
  let left = length;
  for (const { start, end } of found.spans) {
    if (parts.length > 0 && left <= 0) break;
    const part = partOf(source, start, end);
    const text =
      end - start <= left
        ? (await part.read(0, part.size)).toString('utf8')
        : (await fitJson(part, { budget: left, pause }))?.text;
    // A text of JSON is read like any other: by its characters.
    const written = text ?? `${(await part.read(0, Math.min(left, part.size))).toString('utf8')}…`;
    if (parts.length > 0 && written.length > left && end - start > left) break;
    parts.push(written);
    left -= written.length;
  }
  const { length: all } = found.spans;
  const isWhole = found.spans.length === parts.length && !found.isMore;
  const size = found.spans.reduce((sum, { start, end }) => sum + end - start, 0);
  const said = `${parts.length} of ${all}${found.isMore ? ' or more' : ''} values at ${path.slice(0, 200)}, ${size} bytes.`;
  const hint = isWhole && size <= length ? '' : ' Ask for less, e.g. with a slice, to see all of it.';
  return toResult(parts.length === 1 ? (parts[0] ?? '') : `[${parts.join(',')}]`, said + hint);
}

async function readBinary({ source, artifact }: OpenArtifact, body: JsonObject): Promise<JsonObject> {
  const { id, mimeType, bytes } = artifact;
  const uri = toArtifactUri(id);
  const offset = toNumber(body, 'offset');
  if (offset === undefined)
    return {
      content: [
        { type: 'resource_link', uri, name: id, mimeType, size: bytes },
        {
          type: 'text',
          text: `${mimeType}, ${bytes} bytes. {"offset":0,"length":${MOST_BINARY}} gives bytes as base64.`,
        },
      ],
    };
  const end = Math.min(bytes, offset + Math.min(MOST_BINARY, toNumber(body, 'length') ?? MOST_BINARY));
  if (offset >= end) throw new FaultError('invalid_params', `The artifact has ${bytes} bytes: "offset" must be less.`);
  const blob = (await source.read(offset, end)).toString('base64');
  return {
    content: [
      { type: 'resource', resource: { uri, mimeType, blob } },
      { type: 'text', text: `Bytes ${offset} to ${end} of ${bytes}.${end < bytes ? ` Next: {"offset":${end}}.` : ''}` },
    ],
  };
}

function toResult(part: string, about: string): JsonObject {
  return {
    content: [
      { type: 'text', text: part },
      { type: 'text', text: about },
    ],
  };
}

/** What can be read at once by its address. Bytes. */
const MOST_CONTENTS = 16 * 1_048_576;

/** The whole, as the contents of a resource. @throws FaultError `too_large` */
export async function readContents({ source, artifact }: OpenArtifact): Promise<JsonObject> {
  const { id, form, mimeType, bytes } = artifact;
  if (bytes > MOST_CONTENTS)
    throw new FaultError(
      'too_large',
      `The artifact has ${bytes} bytes, more than can be read at once. Read it in parts with the tool read_artifact.`,
    );
  const whole = await source.read(0, bytes);
  const data = form === 'binary' ? { blob: whole.toString('base64') } : { text: whole.toString('utf8') };
  return { contents: [{ uri: toArtifactUri(id), mimeType, ...data }] };
}
