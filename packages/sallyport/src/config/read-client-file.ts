import { FaultError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { checkAgainst } from './check-against.ts';
import type { ClientFile } from './client-files.ts';
import { SERVER_NAME, serverSchema } from './file-schema.ts';
import { toVariableName } from './interpolate.ts';
import { isProblem, parseFile } from './parse-file.ts';
import { resolveServer } from './resolve.ts';

/** One server of a client, written as it goes into our file. */
export interface FoundServer {
  readonly name: string;
  readonly entry: JsonObject;
  readonly from: ClientFile;
  /** The keys that lead to it in the client's file. */
  readonly place: readonly string[];
  /** What was changed on the way and what the person must still do; no values. */
  readonly notes: readonly string[];
  /** Why it cannot be taken over; `undefined`: it can. */
  readonly refused: string | undefined;
}

/**
 * The servers in a client's file.
 * @throws FaultError `config` when the file cannot be read as one.
 */
export function readClientFile(file: ClientFile, text: string): readonly FoundServer[] {
  const parsed = parseFile(text, false);
  if (isProblem(parsed)) throw new FaultError('config', `${file.path}: line ${parsed.line ?? 1}: ${parsed.message}.`);
  const found: FoundServer[] = [];
  const add = (map: Json | undefined, above: readonly string[], project: string | undefined): void => {
    if (!isObject(map)) return;
    for (const [name, entry] of Object.entries(map))
      found.push({ ...convert(name, entry, { ...file, project }), place: [...above, name] });
  };
  const root = parsed.value;
  add(member(root, 'mcpServers'), ['mcpServers'], file.project);
  add(member(root, 'servers'), ['servers'], file.project);
  // Claude Code keeps the servers of each project under its path.
  const projects = member(root, 'projects');
  if (file.client === 'claude-code' && isObject(projects)) {
    for (const [folder, settings] of Object.entries(projects))
      add(member(settings, 'mcpServers'), ['projects', folder, 'mcpServers'], folder);
  }
  return found;
}

/** Keys that mean nothing outside the client that wrote them. */
const DROPPED = new Set([
  'alwaysAllow',
  'autoApprove',
  'alwaysLoad',
  'watchPaths',
  'trust',
  'dev',
  'gallery',
  'version',
  'timeout',
  'name',
]);

/** What one unit of `timeout` is worth, where a client documents it. */
const TIMEOUT_UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['cline', 1000],
  ['claude-code', 1],
]);

function convert(written: string, value: Json | undefined, from: ClientFile): Omit<FoundServer, 'place'> {
  const notes: string[] = [];
  const name = toServerName(written);
  if (name !== written)
    notes.push(`renamed from ${JSON.stringify(written)}: that name does not fit into tool names and URLs`);
  if (!isObject(value)) return { name, entry: {}, from, notes, refused: 'not an object with a command or a url' };
  const entry = new Map<string, Json>();
  const known = new Set(Object.keys(serverSchema.shape));
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || DROPPED.has(key)) continue;
    if (known.has(key)) entry.set(key, rewrite(member, from, notes));
    else notes.push(`${key} left out: unknown here`);
  }
  const unit = TIMEOUT_UNIT_MS.get(from.client);
  const timeout = member(value, 'timeout');
  if (typeof timeout === 'number' && unit !== undefined && timeout > 0)
    entry.set('timeoutMs', Math.round(timeout * unit));
  // The client starts a project's servers in the project; we start anywhere.
  if (from.project !== undefined && entry.has('command') && !entry.has('cwd')) entry.set('cwd', from.project);
  const result = Object.fromEntries(entry);
  return { name, entry: result, from, notes, refused: findFault(name, result) };
}

/** A name of ours that looks like the given one. */
export function toServerName(written: string): string {
  if (SERVER_NAME.test(written)) return written;
  const name = written
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return SERVER_NAME.test(name) ? name : 'server';
}

function rewrite(value: Json, from: ClientFile, notes: string[]): Json {
  if (typeof value === 'string') return rewriteText(value, from, notes);
  if (Array.isArray(value)) return value.map((item: Json) => rewrite(item, from, notes));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, rewrite(item, from, notes)]])),
  );
}

function rewriteText(text: string, from: ClientFile, notes: string[]): string {
  return text
    .replace(/\$\{input:([^}]*)\}/g, (_, id: string) => {
      const name = toVariableName(id);
      notes.push(`set the environment variable ${name}: VS Code asked for it, we cannot`);
      return `\${${name}}`;
    })
    .replace(/\$\{workspaceFolder\}/g, (written) => from.project ?? written);
}

const WITHOUT_ADDRESS = {
  ...{ url: undefined, serverUrl: undefined },
  ...{ type: undefined, transport: undefined, transportType: undefined },
};

/** What is wrong with an entry as it would be written, variables not yet known; `undefined`: nothing. */
export function findFault(name: string, entry: JsonObject): string | undefined {
  const { value, issues } = checkAgainst(serverSchema, entry);
  const first = issues[0];
  if (value === undefined) return first === undefined ? 'not usable' : `${first.path.join('.')}: ${first.message}`;
  const problems: string[] = [];
  // Texts with variables are judged at the start, when the variables are known.
  const literal = JSON.stringify(entry).includes('${') ? { ...value, ...WITHOUT_ADDRESS, command: 'x' } : value;
  resolveServer(name, literal, {
    directory: '/',
    envOfFile: {},
    report: (key, message) => problems.push(`${key} ${message}`.trim()),
  });
  return problems[0];
}
