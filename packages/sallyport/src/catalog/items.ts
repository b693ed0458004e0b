import { createHash } from 'node:crypto';
import { TOO_DEEP } from '../core/deep-items.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { objectMembers, splice } from '../core/json-scan.ts';
import type { ListKind } from './contract.ts';
import { type ParamHeaders, readParamHeaders } from './param-headers.ts';

/** One entry of a list as its upstream wrote it, cut around the value that names it. */
export interface Item {
  /** Name, URI or URI template. */
  readonly id: string;
  readonly head: string;
  /** The identifying value as written, quotes included. */
  readonly literal: string;
  readonly tail: string;
  /** SHA-256 of the text, hex. */
  readonly digest: string;
  /** Parsed; kept for tools only, nothing reads the others. */
  readonly definition: JsonObject | undefined;
  readonly paramHeaders: ParamHeaders | undefined;
  /** A tool whose input schema is missing, or does not say that it is one of an object. */
  readonly isUntyped?: true;
  /** It says null of something optional, where it could say nothing. */
  readonly hasNulls?: true;
}

interface KindRules {
  readonly method: string;
  /** Key of the array in the result. */
  readonly key: string;
  /** The member that names an item. */
  readonly id: string;
  /** The server capability without which the list is not asked for. */
  readonly capability: 'tools' | 'resources' | 'prompts';
}

export const LIST_KINDS: ReadonlyMap<ListKind, KindRules> = new Map([
  ['tools', { method: 'tools/list', key: 'tools', id: 'name', capability: 'tools' }],
  ['resources', { method: 'resources/list', key: 'resources', id: 'uri', capability: 'resources' }],
  [
    'resourceTemplates',
    { method: 'resources/templates/list', key: 'resourceTemplates', id: 'uriTemplate', capability: 'resources' },
  ],
  ['prompts', { method: 'prompts/list', key: 'prompts', id: 'name', capability: 'prompts' }],
]);

export function rulesOf(kind: ListKind): KindRules {
  const rules = LIST_KINDS.get(kind);
  if (rules === undefined) throw new TypeError(`no list ${kind}`);
  return rules;
}

/** `tools/list: search`, for reports; an item without a name is only of its list. */
export function describeItem(kind: ListKind, name: string): string {
  const { method } = rulesOf(kind);
  return name === '' ? method : `${method}: ${name}`;
}

/** Members that break every typed client when they have another type than this. */
const STRINGS = ['name', 'title', 'description', 'mimeType'];
const OBJECTS = ['annotations', '_meta', 'outputSchema'];

/** The item, or a text saying why it cannot be shown; one malformed item must not cost a client the whole list. */
export function readItem(kind: ListKind, text: string, value: unknown): Item | string {
  if (!isObject(value)) return 'not an object';
  const { id: idKey } = rulesOf(kind);
  const id = member(value, idKey);
  if (typeof id !== 'string' || id === '') return `${idKey} is missing or not a string`;
  if (Object.hasOwn(value, TOO_DEEP)) return 'nested deeper than 512 levels';
  if (typeof member(value, 'name') !== 'string') return 'name is missing or not a string';
  const hasNulls = [...STRINGS, ...OBJECTS].some((key) => value[key] === null && Object.hasOwn(value, key));
  for (const key of STRINGS) if (!isAbsentOr(value, key, 'string')) return `${key} is not a string`;
  for (const key of OBJECTS) if (!isAbsentOr(value, key, 'object')) return `${key} is not an object`;
  let paramHeaders: ParamHeaders | undefined;
  let isUntyped = false;
  if (kind === 'tools') {
    const schema = member(value, 'inputSchema') ?? (Object.hasOwn(value, 'inputSchema') ? null : {});
    if (!isObject(schema)) return 'inputSchema is not an object';
    isUntyped = !Object.hasOwn(schema, 'type');
    if (!isUntyped && schema['type'] !== 'object') return 'inputSchema is of another type than "object"';
    const headers = readParamHeaders(schema);
    if (typeof headers === 'string') return headers;
    if (headers.size > 0) paramHeaders = headers;
  } else if (kind === 'prompts' && Object.hasOwn(value, 'arguments') && !Array.isArray(value['arguments'])) {
    return 'arguments is not an array';
  }
  const cut = cutAround(text, idKey);
  // Written twice, readers disagree about which one counts: a check could see another name than the client.
  if (cut === undefined) return `${idKey} stands twice`;
  return {
    id,
    ...cut,
    digest: createHash('sha256').update(text).digest('hex'),
    definition: kind === 'tools' ? value : undefined,
    paramHeaders,
    ...(isUntyped ? { isUntyped } : {}),
    ...(hasNulls ? { hasNulls } : {}),
  };
}

function isAbsentOr(value: JsonObject, key: string, type: 'string' | 'object'): boolean {
  if (!Object.hasOwn(value, key) || value[key] === null) return true;
  return type === 'string' ? typeof value[key] === 'string' : isObject(value[key]);
}

function cutAround(text: string, key: string): { head: string; literal: string; tail: string } | undefined {
  const bytes = Buffer.from(text, 'utf8');
  const named = objectMembers(bytes, 0).filter((candidate) => candidate.key === key);
  const span = named[0];
  if (span === undefined || named.length > 1) return undefined;
  return {
    head: bytes.toString('utf8', 0, span.start),
    literal: bytes.toString('utf8', span.start, span.end),
    tail: bytes.toString('utf8', span.end),
  };
}

/** The item as its upstream wrote it. */
export function writeItem({ head, literal, tail }: Item): string {
  return head + literal + tail;
}

/**
 * The item as clients see it: under another name and description where it has one here, with the type that every client
 * demands and without the nulls that some refuse, else byte for byte.
 */
export function writeShown(item: Item, publicId: string | undefined, description: string | undefined): string {
  const literal = publicId === undefined || publicId === item.id ? item.literal : JSON.stringify(publicId);
  const named = item.head + literal + item.tail;
  const described = description === undefined ? named : withDescription(named, description);
  const text = item.hasNulls ? withoutNulls(described) : described;
  return item.isUntyped ? withObjectType(text) : text;
}

/**
 * Many servers write null for what they have nothing to say of. Half of the parsers read that as nothing; the other half refuse the
 * whole list.
 */
function withoutNulls(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const stated = objectMembers(bytes, 0).map(
    ({ key, start, end }) => [key, bytes.toString('utf8', start, end)] as const,
  );
  const kept = stated.filter(([key, value]) => value !== 'null' || ![...STRINGS, ...OBJECTS].includes(key));
  return `{${kept.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/**
 * A parser of MCP refuses a whole list when the input schema of one tool does not say `"type": "object"`; arguments are always
 * an object, so the schema means the same with it.
 */
function withObjectType(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const schemas = objectMembers(bytes, 0).filter(({ key }) => key === 'inputSchema');
  if (schemas.length === 0) return text.replace('{', () => '{"inputSchema":{"type":"object"},');
  const edits = schemas.map(({ start, end }) => {
    const isEmpty = objectMembers(bytes, start).length === 0;
    return isEmpty
      ? { start, end, text: '{"type":"object"}' }
      : { start: start + 1, end: start + 1, text: '"type":"object",' };
  });
  return Buffer.from(splice(bytes.toString('latin1'), edits), 'latin1').toString('utf8');
}

/** Every member of that name gets the text: readers disagree about which of two counts. */
function withDescription(text: string, description: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const found = objectMembers(bytes, 0).filter((one) => one.key === 'description');
  const literal = JSON.stringify(description);
  if (found.length === 0) return text.replace('{', () => `{"description":${literal},`);
  let written = '';
  let at = 0;
  for (const { start, end } of found) {
    written += bytes.toString('utf8', at, start) + literal;
    at = end;
  }
  return written + bytes.toString('utf8', at);
}
