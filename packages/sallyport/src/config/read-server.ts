import { resolve as resolvePath } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../core/json.ts';
import { checkAgainst } from './check-against.ts';
import { parseEnvFile } from './env-file.ts';
import { SPOKEN_OF, serverSchema, type WrittenServer } from './file-schema.ts';
import { fill } from './fill.ts';
import type { Variables } from './interpolate.ts';
import type { Path, Problem } from './parse-file.ts';
import { resolveServer } from './resolve.ts';
import type { ServerSettings } from './settings.ts';

export interface ServerSource {
  /** Of its entry. */
  readonly path: Path;
  readonly name: string;
  readonly entry: object;
}

export interface ServerContext {
  readonly variables: Variables;
  readonly directory: string;
  readonly readText: ((path: string) => string) | undefined;
}

export interface ReadServer {
  /** `undefined`: the file is wrong about it. */
  readonly settings: ServerSettings | undefined;
  /** What the file gets wrong: it is not used. */
  readonly mistakes: readonly Problem[];
  /** What the environment lacks: this server alone is broken. */
  readonly missing: readonly Problem[];
  readonly notes: readonly string[];
}

/** One entry of a server map, as it is written, to what the program runs on. */
export function readServer({ path, name, entry }: ServerSource, context: ServerContext): ReadServer {
  const { variables, directory } = context;
  const mistakes: Problem[] = [];
  const missing: Problem[] = [];
  const { written, notes } = withoutForeignAuth(path, entry);
  const filled: Record<string, unknown> = {};
  /** Their values come from the environment: what is wrong with them is no mistake of the file. */
  const given = new Set<unknown>();
  for (const [key, value] of written) {
    const report = (problem: Problem, kind: 'problem' | 'missing') =>
      void (kind === 'missing' ? missing : mistakes).push(problem);
    filled[key] = FILLED.has(key) ? fill(value, [...path, key], { variables, report }) : value;
    if (!isDeepStrictEqual(filled[key], value)) given.add(key);
  }
  const keyOf = (problem: Problem) => problem.path[path.length];
  for (const problem of missing) given.add(keyOf(problem));
  const report = (problem: Problem): void => {
    const known = [...mistakes, ...missing].map(keyOf);
    // Text that was not filled in may not fit: one problem is enough.
    if (given.has(keyOf(problem)) && known.includes(keyOf(problem))) return;
    (given.has(keyOf(problem)) ? missing : mistakes).push(problem);
  };
  const { value, issues } = checkAgainst(serverSchema, filled);
  for (const issue of issues) report({ ...issue, path: [...path, ...issue.path] });
  const usable =
    value ?? (mistakes.length === 0 ? checkWithout(filled, new Set(missing.map(keyOf)), entry) : undefined);
  if (usable === undefined) return { settings: undefined, mistakes, missing, notes };
  const envOfFile = readEnvFile(usable.envFile, context, (message) =>
    missing.push({ path: [...path, 'envFile'], message }),
  );
  const settings = resolveServer(name, usable, {
    ...{ directory, envOfFile },
    report: (key, message) =>
      report({ path: key === '' ? path : [...path, ...key.split('.', 1), ...restOf(key)], message }),
  });
  const fault = missing.length === 0 ? {} : { fault: describeMissing(path, missing) };
  return {
    settings: settings === undefined ? undefined : { ...settings, ...fault },
    ...{ mistakes, missing },
    notes: [...notes, ...notesOf(path, usable)],
  };
}

/** `env.TOKEN: the environment variable TOKEN is not set; …` */
function describeMissing(path: Path, missing: readonly Problem[]): string {
  return missing.map((problem) => `${problem.path.slice(path.length).join('.')}: ${problem.message}`).join('; ');
}

/** What the values that are missing would say does not matter while the server is broken, but how it is reached does. */
function checkWithout(filled: object, keys: ReadonlySet<unknown>, entry: object) {
  const rest = Object.entries(filled).filter(([key]) => !keys.has(key));
  const reached = Object.entries(entry).filter(([key]) => keys.has(key) && REACHED.has(key));
  return checkAgainst(serverSchema, Object.fromEntries([...rest, ...reached])).value;
}

const REACHED: ReadonlySet<string> = new Set(['command', 'url', 'serverUrl']);

/** Cursor's `auth` names no type: accepted, without effect, and said so. */
function withoutForeignAuth(path: Path, entry: object) {
  const notes: string[] = [];
  const written = Object.entries(entry).filter(([key, value]) => {
    const isForeignAuth = key === 'auth' && isObject(value) && !Object.hasOwn(value, 'type');
    if (isForeignAuth) notes.push(`${path.join('.')}.auth: Written by Cursor; accepted, without effect here.`);
    return !isForeignAuth;
  });
  return { written, notes };
}

function notesOf(path: Path, written: WrittenServer): readonly string[] {
  return SPOKEN_OF.filter((key) => written[key] !== undefined).map(
    (key) => `${path.join('.')}.${key}: ${serverSchema.shape[key].description ?? ''}`,
  );
}

function readEnvFile(
  written: string | undefined,
  { directory, readText }: ServerContext,
  report: (message: string) => void,
): Record<string, string> {
  if (written === undefined) return {};
  const file = resolvePath(directory, written);
  try {
    if (readText === undefined) throw new Error('no files here');
    return parseEnvFile(readText(file));
  } catch {
    report(`cannot read ${file}; correct the path or put the variables into env`);
    return {};
  }
}

/** Keys of a server whose texts may hold variables; what has no effect is not looked into. */
const FILLED: ReadonlySet<string> = new Set([
  ...['type', 'command', 'args', 'env', 'envFile', 'cwd', 'url', 'serverUrl', 'headers', 'auth'],
  ...['prefix', 'era', 'sharing', 'disabledTools'],
]);

/** `env.A.B` names the variable `A.B`. */
function restOf(key: string): string[] {
  const dot = key.indexOf('.');
  return dot < 0 ? [] : [key.slice(dot + 1)];
}
