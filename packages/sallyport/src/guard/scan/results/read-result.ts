import type { Finding } from '../../../core/finding.ts';
import { isObject, type Json, type JsonObject, member } from '../../../core/json.ts';
import { textOfBytes } from './bytes-text.ts';
import { checkContents, checkLink, checkMedia } from './check-item.ts';
import { findAcross } from './find-across.ts';
import { Findings, type Treatment } from './findings.ts';
import { present, type Treated } from './present-result.ts';
import { MIN_NAME, readFixed, readName, toShortStep } from './read-fixed.ts';

/** Reads what a server answers, of whatever shape, and makes it what the model may get. */
export function readResult(result: JsonObject, treatment: Treatment): Treated {
  const found = new Findings(treatment);
  const base = treatMembers(result, '', found);
  const { all: findings, score, changes, refusal } = found;
  const treated = { findings, score, changes, refusal, base };
  return { ...treated, value: present(treated, treatment) };
}

/** A server request (elicitation, sampling): nothing in it is changed, so it has only findings. */
export function readQuestion(params: JsonObject, treatment: Treatment): readonly Finding[] {
  const found = new Findings(treatment);
  readFixed(params, '', found);
  const messages = member(params, 'messages');
  if (Array.isArray(messages)) {
    const texts = (messages as readonly Json[]).flatMap((message) => textsIn(member(message, 'content')));
    for (const { finding } of findAcross(texts)) found.add({ ...finding, where: '/messages' });
  }
  return found.all;
}

type Shape = (value: Json, where: string, found: Findings) => Json;

/**
 * Members whose texts a model reads (MCP tools#tool-result, resources#reading-resources, prompts#getting-a-prompt, tasks).
 * All other members, known or not, are read and never changed.
 */
const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['content', treatItems],
  ['contents', treatAllContents],
  ['messages', treatMessages],
  ['description', treatText],
  ['statusMessage', treatText],
  ['task', treatInside],
  ['tasks', treatEach],
  ['result', treatInside],
]);

/** The same object when nothing in it was changed. */
function treatMembers(result: JsonObject, where: string, found: Findings): JsonObject {
  let changed: Record<string, Json> | undefined;
  for (const key of Object.keys(result)) {
    const value = member(result, key);
    if (value === undefined || typeof value === 'boolean' || typeof value === 'number') continue;
    const at = `${where}/${toShortStep(key)}`;
    const shape = SHAPES.get(key);
    if (shape === undefined) {
      if (key.length >= MIN_NAME) readName(key, where, found);
      readFixed(value, at, found);
      continue;
    }
    const treated = shape(value, at, found);
    // Only names of the table: none of them is __proto__.
    if (treated !== value) changed = { ...changed, [key]: treated };
  }
  return changed === undefined ? result : { ...result, ...changed };
}

function treatInside(value: Json, where: string, found: Findings): Json {
  if (isObject(value)) return treatMembers(value, where, found);
  readFixed(value, where, found);
  return value;
}

function treatEach(value: Json, where: string, found: Findings): Json {
  if (!Array.isArray(value)) return treatInside(value, where, found);
  return mapChanged(value as readonly Json[], (one, i) => treatInside(one, `${where}/${i}`, found));
}

function treatText(value: Json, where: string, found: Findings): Json {
  if (typeof value === 'string') return found.treat(value, where);
  readFixed(value, where, found);
  return value;
}

function treatItems(value: Json, where: string, found: Findings): Json {
  if (!Array.isArray(value)) return isObject(value) ? treatItem(value, where, found) : treatText(value, where, found);
  const items = value as readonly Json[];
  const across = acrossOf(items.map((item) => textsIn(item)));
  return mapChanged(items, (item, i) => treatItem(item, `${where}/${i}`, found, across?.get(i)));
}

function treatAllContents(value: Json, where: string, found: Findings): Json {
  if (!Array.isArray(value)) return treatInside(value, where, found);
  const items = value as readonly Json[];
  const across = acrossOf(items.map((item) => textsOf(member(item, 'text'))));
  return mapChanged(items, (item, i) => treatContents(item, `${where}/${i}`, found, across?.get(i)));
}

function treatMessages(value: Json, where: string, found: Findings): Json {
  if (!Array.isArray(value)) return treatInside(value, where, found);
  const messages = value as readonly Json[];
  const across = acrossOf(messages.map((message) => textsIn(member(message, 'content'))));
  return mapChanged(messages, (message, i) => {
    const at = `${where}/${i}`;
    if (!isObject(message)) return treatText(message, at, found);
    readRest(message, IN_MESSAGE, at, found);
    const content = member(message, 'content') ?? null;
    const treated =
      Array.isArray(content) || !isObject(content)
        ? treatItems(content, `${at}/content`, found)
        : treatItem(content, `${at}/content`, found, across?.get(i));
    return treated === content ? message : { ...message, content: treated };
  });
}

/** By the place of an item: what stands in it and in its neighbours. */
function acrossOf(texts: readonly (readonly string[])[]): ReadonlyMap<number, Finding[]> | undefined {
  if (texts.length < 2) return undefined;
  const places = texts.flatMap((own, i) => own.map(() => i));
  const found = findAcross(texts.flat());
  if (found.length === 0) return undefined;
  const byItem = new Map<number, Finding[]>();
  for (const { first, last, finding } of found)
    for (const i of new Set(places.slice(first, last + 1))) byItem.set(i, [...(byItem.get(i) ?? []), finding]);
  return byItem;
}

function textsOf(text: Json | undefined): readonly string[] {
  return typeof text === 'string' ? [text] : [];
}

/** The texts of a content block, or of several. */
function textsIn(content: Json | undefined): readonly string[] {
  if (Array.isArray(content)) return (content as readonly Json[]).flatMap((one) => textsIn(one));
  return [...textsOf(member(content, 'text')), ...textsOf(member(member(content, 'resource'), 'text'))];
}

const IN_MESSAGE: ReadonlySet<string> = new Set(['role', 'content']);
const IN_ITEM: ReadonlySet<string> = new Set(['type', 'text', 'resource', 'content']);
const IN_MEDIA: ReadonlySet<string> = new Set(['type', 'data']);
const IN_CONTENTS: ReadonlySet<string> = new Set(['text', 'blob']);
const IN_LINK: ReadonlySet<string> = new Set(['type', 'name', 'title', 'description']);

/** All members but those that are treated: identifiers, annotations, `_meta`, and what nobody here knows. */
function readRest(holder: JsonObject, known: ReadonlySet<string>, where: string, found: Findings): void {
  for (const key of Object.keys(holder)) {
    if (known.has(key)) continue;
    if (key.length >= MIN_NAME) readName(key, where, found);
    readFixed(member(holder, key), `${where}/${toShortStep(key)}`, found);
  }
}

function treatItem(item: Json, where: string, found: Findings, across?: readonly Finding[]): Json {
  if (!isObject(item)) return treatText(item, where, found);
  const type = member(item, 'type');
  if (type === 'resource_link') return treatLink(item, where, found);
  if (type === 'image' || type === 'audio') return treatMedia(item, where, found);
  readRest(item, IN_ITEM, where, found);
  const changed: Record<string, Json> = {};
  const text = member(item, 'text');
  if (typeof text === 'string') {
    const shown = found.treat(text, `${where}/text`, across);
    if (shown !== text) changed['text'] = shown;
  }
  const resource = member(item, 'resource');
  if (resource !== undefined) {
    const treated = treatContents(resource, `${where}/resource`, found, across);
    if (treated !== resource) changed['resource'] = treated;
  }
  // Results of tools within a message (2025-11-25 sampling).
  const content = member(item, 'content');
  if (content !== undefined) {
    const treated = treatItems(content, `${where}/content`, found);
    if (treated !== content) changed['content'] = treated;
  }
  return Object.keys(changed).length === 0 ? item : { ...item, ...changed };
}

/** A picture is a picture: what says so and names another type, or is a text, would be opened by another program. */
function treatMedia(item: JsonObject, where: string, found: Findings): Json {
  readRest(item, IN_MEDIA, where, found);
  const data = member(item, 'data');
  const said = typeof data === 'string' ? textOfBytes(data) : undefined;
  if (said !== undefined) found.read(said, `${where}/data`);
  return checkMedia(item, where, found) ?? item;
}

/** Contents of a resource: a URI and a text, or bytes, which may be a text as well. */
function treatContents(given: Json, where: string, found: Findings, across: readonly Finding[] = []): Json {
  if (!isObject(given)) return treatText(given, where, found);
  readRest(given, IN_CONTENTS, where, found);
  const { contents, isWithheld } = checkContents(given, where, found);
  if (isWithheld) return contents;
  const text = member(contents, 'text');
  const shown = typeof text === 'string' ? found.treat(text, `${where}/text`, across) : undefined;
  const blob = member(contents, 'blob');
  const said = typeof blob === 'string' ? textOfBytes(blob) : undefined;
  if (said !== undefined) found.read(said, `${where}/blob`);
  return shown === undefined || shown === text ? contents : { ...contents, text: shown };
}

/** Clients follow links by themselves. */
function treatLink(link: JsonObject, where: string, found: Findings): Json {
  readRest(link, IN_LINK, where, found);
  for (const key of ['name', 'title', 'description']) {
    const text = member(link, key);
    if (typeof text === 'string') found.read(text, `${where}/${key}`);
  }
  return checkLink(link, where, found) ?? link;
}

/** The same array when nothing in it was changed. */
function mapChanged(items: readonly Json[], treat: (item: Json, i: number) => Json): Json {
  let isSame = true;
  const treated = items.map((item, i) => {
    const one = treat(item, i);
    if (one !== item) isSame = false;
    return one;
  });
  return isSame ? (items as Json) : treated;
}
