import { type Document, isMap, isScalar, parseDocument } from 'yaml';
import { FaultError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { isMistake, type JsonMember, type JsonNode, parseJsonWithComments } from './json-with-comments.ts';

/** The maps servers can stand in; the first is made when there is none. */
const MAPS = ['mcpServers', 'servers'] as const;

/**
 * The text of a configuration with further servers in it. Everything else stays as it is written, comments included.
 * The text must be one that `parseFile` takes, and the names must be new.
 */
export function addServers(text: string, yaml: boolean, entries: ReadonlyMap<string, JsonObject>): string {
  if (entries.size === 0) return text;
  if (yaml) return addToYaml(text, entries);
  if (text.trim() === '') return `${JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2)}\n`;
  const root = parseJson(text);
  const map = root.members.find(({ key, value }) => isServerMap(key) && value.kind === 'object');
  if (map !== undefined) return insertMembers(text, map.value, entries);
  return insertMembers(text, root, new Map([[MAPS[0], Object.fromEntries(entries)]]));
}

/** The text without a server, or `undefined` when it has none of this name. */
export function removeServer(text: string, yaml: boolean, name: string): string | undefined {
  if (yaml) {
    const document = parseDocument(text);
    const map = MAPS.find((key) => isMap(document.get(key)) && document.hasIn([key, name]));
    if (map === undefined) return undefined;
    document.deleteIn([map, name]);
    return document.toString({ lineWidth: 0 });
  }
  const map = parseJson(text).members.find(
    ({ key, value }) => isServerMap(key) && value.members.some((member) => member.key === name),
  );
  return map === undefined ? undefined : removeAt(text, [map.key, name]);
}

/** JSON text without the member that these keys lead to. */
export function removeAt(text: string, place: readonly string[]): string {
  let node = parseJson(text);
  for (const key of place.slice(0, -1)) {
    const next = node.members.find((member) => member.key === key)?.value;
    if (next === undefined) return text;
    node = next;
  }
  const index = node.members.findIndex((member) => member.key === place.at(-1));
  return index < 0 ? text : cutMember(text, node.members, index);
}

/** JSON text whose root has this member; one that is there already stays. */
function addMember(text: string, key: string, value: Json): string {
  const root = parseJson(text);
  const isThere = root.members.some((member) => member.key === key);
  return isThere ? text : insertMembers(text, root, new Map([[key, value]]));
}

/** JSON text whose root has a list under `key` with this item at its end. */
export function addItem(text: string, key: string, item: JsonObject): string {
  const list = parseJson(text).members.find((member) => member.key === key)?.value;
  if (list?.kind !== 'array') return addMember(text, key, [item]);
  const last = list.items.at(-1);
  if (last === undefined) return `${text.slice(0, list.start)}[${JSON.stringify(item)}]${text.slice(list.end)}`;
  return `${text.slice(0, last.end)}, ${JSON.stringify(item)}${text.slice(last.end)}`;
}

function isServerMap(key: string): boolean {
  return key === MAPS[0] || key === MAPS[1];
}

function parseJson(text: string): JsonNode {
  const root = parseJsonWithComments(text);
  if (isMistake(root) || root.kind !== 'object') throw new FaultError('config', 'The file is not a JSON object.');
  return root;
}

function addToYaml(text: string, entries: ReadonlyMap<string, JsonObject>): string {
  const document: Document = parseDocument(text);
  const map = MAPS.find((key) => isMap(document.get(key))) ?? MAPS[0];
  const present = document.get(map);
  if (isMap(document.contents)) {
    // `mcpServers:` with nothing below it is null.
    if (present === undefined || present === null || isScalar(present)) document.set(map, document.createNode({}));
    for (const [name, entry] of entries) document.setIn([map, name], document.createNode(entry));
  } else {
    document.contents = document.createNode({ [map]: Object.fromEntries(entries) });
  }
  return document.toString({ lineWidth: 0 });
}

/** New members at the end of an object, in the indentation that is there. */
function insertMembers(text: string, object: JsonNode, entries: ReadonlyMap<string, Json>): string {
  const inner = object.end - 1;
  const closing = indentAt(text, object.start);
  const first = object.members[0];
  const standing = first === undefined ? undefined : indentAt(text, first.start);
  const indent = standing !== undefined && standing.length > closing.length ? standing : `${closing}  `;
  const unit = indent.includes('\t') ? '\t' : indent.slice(closing.length);
  const members = [...entries].map(([name, entry]) => {
    const body = JSON.stringify(entry, null, unit).replaceAll('\n', `\n${indent}`);
    return `${indent}${JSON.stringify(name)}: ${body}`;
  });
  const last = object.members.at(-1);
  const from = last === undefined ? object.start + 1 : last.value.end;
  const between = text.slice(from, inner);
  const comma = last === undefined || findComma(between) >= 0 ? '' : ',';
  return `${text.slice(0, from)}${comma}${between.trimEnd()}\n${members.join(',\n')}\n${closing}${text.slice(inner)}`;
}

/** The white space before whatever stands first on the line of `offset`. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Where the comma stands in the space between two members, comments left out; -1: there is none. */
function findComma(between: string): number {
  return between.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, (comment) => ' '.repeat(comment.length)).indexOf(',');
}

function cutMember(text: string, members: readonly JsonMember[], index: number): string {
  const member = members[index];
  if (member === undefined) return text;
  const next = members[index + 1];
  const previous = members[index - 1];
  let before = text.slice(0, member.start);
  let after = text.slice(member.value.end);
  const comma = findComma(
    next === undefined ? after.slice(0, after.indexOf('}')) : text.slice(member.value.end, next.start),
  );
  if (comma >= 0) {
    after = after.slice(0, comma) + after.slice(comma + 1);
  } else if (previous !== undefined) {
    const at = previous.value.end + findComma(text.slice(previous.value.end, member.start));
    before = before.slice(0, at) + before.slice(at + 1);
  }
  // The line the member stood on goes with it, unless something else stands there.
  const line = /\n[ \t]*$/.exec(before);
  if (line !== null && /^[ \t]*(?:\r?\n|$)/.test(after))
    return before.slice(0, line.index) + after.replace(/^[ \t]+/, '');
  return before + after.replace(/^[ \t]+(?=\S)/, '');
}
