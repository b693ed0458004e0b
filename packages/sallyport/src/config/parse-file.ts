import { isNode, LineCounter, parseDocument } from 'yaml';
import { isMistake, type JsonNode, parseJsonWithComments, toValue } from './json-with-comments.ts';

export type Path = readonly (string | number)[];

/** One thing wrong with a file: where, what, and how to mend it. Holds no value of the file. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
  /** When it is not the place of `path`. */
  readonly line?: number;
}

/** A file as plain values, with the places they stand at. */
export interface ParsedFile {
  readonly value: unknown;
  /** The line, from 1, of the deepest part of `path` that exists. */
  lineOf(path: Path): number | undefined;
}

export function isYaml(file: string | undefined): boolean {
  return /\.ya?ml$/i.test(file ?? '');
}

/** Reads JSON, JSON with comments, or YAML (by the file's name). */
export function parseFile(text: string, yaml: boolean): ParsedFile | Problem {
  return yaml ? parseYaml(text) : parseJson(text);
}

export function isProblem(parsed: ParsedFile | Problem): parsed is Problem {
  return 'message' in parsed;
}

function parseJson(text: string): ParsedFile | Problem {
  if (text.trim() === '') return { value: {}, lineOf: () => undefined };
  const root = parseJsonWithComments(text);
  if (isMistake(root)) return { path: [], line: lineAt(text, root.offset), message: `not JSON: ${root.message}` };
  return { value: toValue(root), lineOf: (path) => lineAt(text, offsetOf(root, path)) };
}

function offsetOf(root: JsonNode, path: Path): number {
  let node = root;
  let offset = root.start;
  for (const step of path) {
    if (typeof step === 'number') {
      const item = node.items[step];
      if (item === undefined) return offset;
      node = item;
      offset = item.start;
    } else {
      const found = node.members.find((member) => member.key === step);
      if (found === undefined) return offset;
      node = found.value;
      offset = found.start;
    }
  }
  return offset;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', i + 1)) line++;
  return line;
}

function parseYaml(text: string): ParsedFile | Problem {
  const lines = new LineCounter();
  // Pretty errors quote the file, which may hold secrets.
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines, uniqueKeys: true });
  const error = document.errors[0];
  if (error !== undefined) {
    return {
      path: [],
      line: lines.linePos(error.pos[0]).line,
      message: `not YAML: ${YAML_MISTAKES.get(error.code) ?? 'it cannot be read here'}`,
    };
  }
  let value: unknown;
  try {
    // maxAliasCount: a few aliases of aliases would otherwise grow without end.
    value = document.toJS({ maxAliasCount: 100, mapAsMap: false });
  } catch {
    return { path: [], message: 'not usable YAML: too many aliases' };
  }
  return {
    value: value ?? {},
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
      }
      return undefined;
    },
  };
}

const YAML_MISTAKES: ReadonlyMap<string, string> = new Map([
  ['DUPLICATE_KEY', 'a key stands here for the second time'],
  ['BAD_INDENT', 'the indentation does not fit'],
  ['TAB_AS_INDENT', 'a tab is used for indentation; use spaces'],
  ['MISSING_CHAR', 'a character (quote, bracket, comma or colon) is missing'],
  ['BAD_ALIAS', 'an alias has no anchor'],
  ['UNRESOLVED_ALIAS', 'an alias has no anchor'],
  ['MULTIPLE_DOCS', 'the file holds more than one document'],
]);
