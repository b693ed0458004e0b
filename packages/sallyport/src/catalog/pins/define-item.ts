import { createHash } from 'node:crypto';
import { splitCapabilities } from '../../core/declared-capabilities.ts';
import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import type { UpstreamIdentity } from '../../core/upstream-port.ts';
import { type Item, writeItem } from '../items.ts';
import { digestDefinition, type Left } from './digest-definition.ts';
import type { Definition, PinKind, SaidKind } from './pin.ts';

/**
 * Data that stands in a definition: a resource that grows is not another resource. A number, a date of ISO 8601 or of
 * RFC 9110: any other text in that place is one that a model may read.
 */
const DATA: Left = {
  paths: ['size', 'annotations/lastModified'],
  like: /^(?:[\d.eE+-]{1,32}|null|"[\dTZ:.+-]{1,40}"|"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT")$/,
};
/** A version is data: each release has another one, and no model goes by it. Any other text in its place counts. */
const VERSION: Left = {
  paths: ['serverInfo/version'],
  like: /^"v?\d{1,10}(?:\.\d{1,10}){0,3}(?:[-+.][\dA-Za-z]{1,40}){0,4}"$/,
};
const NAMES: Left = { paths: ['name', 'title', 'annotations/title', 'icons', '_meta'] };

/** By the parsed definition of a tool, which `Tool` carries too, and by the item for all others. */
const digests = new WeakMap<object, string>();

/** The digest of an item of a list; worked out once. */
export function digestItem(kind: PinKind, item: Item): string {
  const key = item.definition ?? item;
  let digest = digests.get(key);
  if (digest === undefined) {
    digest = digestText(kind, writeItem(item));
    digests.set(key, digest);
  }
  return digest;
}

/** The digest of a tool by its parsed definition; `undefined` for one that came in no list. */
export function digestOfTool(definition: JsonObject): string | undefined {
  return digests.get(definition);
}

/** The definition of an item of a list, whose digest is worked out once. */
export function defineItem(kind: PinKind, item: Item): Definition {
  const text = writeItem(item);
  return { digest: digestItem(kind, item), content: digestContent(kind, text), text };
}

const MAX_TOLD = 256;
const told = new Map<string, Definition>();

/** The definition that stands for what a server tells every model at the start; none is one, too. */
export function defineInstructions(text = ''): Definition {
  let definition = told.get(text);
  if (definition === undefined) {
    definition = toDefinition('instructions', JSON.stringify(text));
    // Asked for again with every look at a list.
    if (told.size >= MAX_TOLD) told.clear();
    told.set(text, definition);
  }
  return definition;
}

type Said = Pick<UpstreamIdentity, 'serverInfo' | 'capabilities'>;

const said = new WeakMap<Said, Definition | undefined>();

/** The definition that stands for what a server says of itself; `undefined`: nothing. */
export function defineServerInfo(identity: Said): Definition | undefined {
  if (said.has(identity)) return said.get(identity);
  const { serverInfo, capabilities } = identity;
  const isSilent = [serverInfo, splitCapabilities(capabilities).own].every((one) => Object.keys(one).length === 0);
  const definition = isSilent ? undefined : toDefinition('serverInfo', JSON.stringify({ serverInfo, capabilities }));
  said.set(identity, definition);
  return definition;
}

/** What a server says once, each with its definition. @param identity `undefined`: it did not say anything yet */
export function defineSaid(identity: UpstreamIdentity | undefined): readonly (readonly [SaidKind, Definition])[] {
  const info = identity === undefined ? undefined : defineServerInfo(identity);
  const instructions = ['instructions', defineInstructions(identity?.instructions)] as const;
  return info === undefined ? [instructions] : [instructions, ['serverInfo', info]];
}

/** Texts of a page beyond this are kept as their digest. */
const MAX_PAGE_TEXT = 64 * 1024;

/** @param result of `resources/read` */
export function definePage(result: JsonObject): Definition {
  const contents = member(result, 'contents');
  const parts = Array.isArray(contents) ? (contents as readonly Json[]) : [contents ?? null];
  const text = JSON.stringify(parts, (_key, value: unknown) =>
    typeof value === 'string' && value.length > MAX_PAGE_TEXT
      ? { length: value.length, sha256: createHash('sha256').update(value).digest('hex') }
      : value,
  );
  return toDefinition('ui', text);
}

/** @param text JSON as its server wrote it */
export function toDefinition(kind: PinKind, text: string): Definition {
  return { digest: digestText(kind, text), content: digestContent(kind, text), text };
}

function digestText(kind: PinKind, text: string): string {
  if (kind === 'serverInfo') return digestDefinition(withoutFlags(text), VERSION);
  return digestDefinition(text, kind === 'resources' || kind === 'resourceTemplates' ? DATA : undefined);
}

/** A tool without a description is like too many others to be known again by the rest. */
function digestContent(kind: PinKind, text: string): string {
  if (kind !== 'tools' && kind !== 'prompts') return '';
  const value: unknown = JSON.parse(text);
  const description = member(value, 'description');
  return isObject(value) && typeof description === 'string' && description !== '' ? digestDefinition(text, NAMES) : '';
}

/** A flag of the protocol is no text, and the same server may set it for one client and not for another. */
function withoutFlags(text: string): string {
  const value: unknown = JSON.parse(text);
  const capabilities = member(value, 'capabilities');
  if (!isObject(value) || !isObject(capabilities)) return text;
  return JSON.stringify({ ...value, capabilities: splitCapabilities(capabilities).own });
}
