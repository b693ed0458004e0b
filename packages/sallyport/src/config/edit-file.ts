import { type Document, isMap, isScalar, parseDocument } from 'yaml';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
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
  for (const map of parseJson(text).members) {
    const index = map.value.members.findIndex((member) => member.key === name);
    if (isServerMap(map.key) && index >= 0) return cutMember(text, map.value.members, index);
  }
  return undefined;
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
function insertMembers(text: string, object: JsonNode, entries: ReadonlyMap<string, JsonObject>): string {
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
