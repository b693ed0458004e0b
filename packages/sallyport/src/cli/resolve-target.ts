import { resolve } from 'node:path';
import { listWritten } from '../config/list-written.ts';
import { loadSnapshot } from '../config/load-snapshot.ts';
import { nearestName } from '../config/nearest-name.ts';
import { isYaml } from '../config/parse-file.ts';
import { toServerName } from '../config/read-client-file.ts';
import type { ServerSettings, Snapshot } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { type Flag, type Input, isSet, listOption, textOption } from './command.ts';
import { findConfigFile, findStateDir, readConfigText, readSnapshot, type SnapshotRequest } from './config-file.ts';
import { parseDuration } from './parse-duration.ts';
import { parseEnvPairs, parseHeaderPairs } from './parse-pair.ts';
import { parseTarget, type Target } from './parse-target.ts';
import { toGatewayEntry } from './running-gateway.ts';

/** What every command takes that works on a server. */
export const TARGET_FLAGS: readonly Flag[] = [
  { flags: '--timeout <time>', meaning: 'give up after this long (500ms, 30s, 5m)' },
  { flags: '--header <name: value>', meaning: 'send this HTTP header, or those of @file; may be repeated', many: true },
  { flags: '--env <NAME=value>', meaning: 'set this for a started command; may be repeated', many: true },
  { flags: '--type <type>', meaning: 'how a URL is reached: http, sse or auto' },
  { flags: '--era <era>', meaning: 'the protocol it speaks: legacy, modern or auto' },
  { flags: '--root <folder>', meaning: 'show this folder to servers that ask for roots; may be repeated', many: true },
];

export const TARGET_WORD = [
  '<target>',
  'a URL, a file (mcp.json#name), a saved server, or a command after --',
] as const;

/** The same for the commands that can go through the running gateway. */
export const SESSION_FLAGS: readonly Flag[] = [
  {
    flags: '--gateway',
    meaning:
      'through the running gateway of this state folder; the target is one of its servers, a URL, or left out for all',
  },
  ...TARGET_FLAGS,
];

/**
 * The word that names the target, if no command after `--` does, and the other words.
 * @param needed words that must follow the target; through the gateway it may be left out
 * @throws FaultError `usage` where one of them is missing
 */
export function splitTarget(
  { words, dashed, options }: Input,
  needed = 0,
): {
  readonly target: string | undefined;
  readonly words: readonly string[];
} {
  if (dashed !== undefined) return { target: undefined, words };
  if (!isSet(options, 'gateway')) return { target: words[0], words: words.slice(1) };
  if (words.length < needed) throw new FaultError('usage', 'Name what is asked for behind --gateway, e.g. a tool.');
  // `tool call --gateway add a=1` against `tool call --gateway maths add a=1`.
  const first = words.findIndex((word, index) => index > 0 && (word === '-' || word.includes('=')));
  const names = first < 0 ? words.length : first;
  return names > needed ? { target: words[0], words: words.slice(1) } : { target: undefined, words };
}

/**
 * The servers a target names, with what the options change about them.
 * @throws FaultError `config`, `usage`, `not_found`.
 */
export function resolveTarget(word: string | undefined, input: Input): readonly ServerSettings[] {
  const { servers: found } = isSet(input.options, 'gateway')
    ? loadGateway(word, input)
    : loadTarget(parseTarget(word, input.dashed), input);
  const servers = [...found.values()];
  return servers.map((settings) => applyOptions(settings, input));
}

/** One server of a target: its settings, or why it has none. */
export type Resolved =
  | { readonly name: string; readonly written: Written | undefined; readonly settings: ServerSettings }
  | { readonly name: string; readonly written: Written | undefined; readonly fault: FaultError };

/** How a server stands in a file, variables not filled in. */
export interface Written {
  readonly file: string;
  readonly entry: JsonObject;
}

/**
 * The same server by server: a mistake in the configuration of one does not hide the others.
 * @throws FaultError `usage`, `not_found`; `config` when the file cannot be read at all.
 */
export function resolveEach(word: string | undefined, input: Input): readonly Resolved[] {
  const target = parseTarget(word, input.dashed);
  if (target?.kind === 'url' || target?.kind === 'command') {
    const name = target.kind === 'url' ? hostOf(target.url) : target.command;
    return [resolveOne(name, undefined, () => resolveTarget(word, input))];
  }
  const { terminal, options } = input;
  const file =
    target?.kind === 'file'
      ? resolve(terminal.cwd, target.file)
      : findConfigFile(textOption(options, 'config'), terminal);
  const only = target?.kind === 'file' ? target.server : target?.name;
  const request = { env: terminal.env, stateDir: findStateDir(terminal), version: 1, file };
  if (file === undefined) {
    if (only === undefined) return [];
    throw unknownServer(only, request);
  }
  const all = listWritten(file, readConfigText(file), isYaml(file));
  if (only !== undefined && !all.has(only)) throw unknownServer(only, request);
  return [...all].flatMap(([name, entry]) => {
    if (only === undefined ? entry['disabled'] === true : name !== only) return [];
    return [resolveOne(name, { file, entry }, () => loadOne(name, request, input))];
  });
}

function loadOne(name: string, request: SnapshotRequest, input: Input): readonly ServerSettings[] {
  return [...pickServer(name, request).servers.values()].map((settings) => applyOptions(settings, input));
}

function resolveOne(name: string, written: Written | undefined, load: () => readonly ServerSettings[]): Resolved {
  try {
    const [settings] = load();
    if (settings === undefined) throw new FaultError('not_found', `There is no server "${name}".`);
    return { name: settings.name, written, settings };
  } catch (error) {
    if (error instanceof FaultError && error.code === 'config') return { name, written, fault: error };
    throw error;
  }
}

function loadGateway(word: string | undefined, { terminal, dashed }: Input): Snapshot {
  if (dashed !== undefined) throw new FaultError('usage', 'Give --gateway or a command after "--", not both.');
  const name = word === undefined || /:\/\//.test(word) ? 'gateway' : toServerName(word);
  const entry = toGatewayEntry(word, terminal);
  const text = JSON.stringify({ mcpServers: { [name]: { ...entry, url: literal(String(entry['url'])) } } });
  return loadSnapshot({ env: terminal.env, stateDir: findStateDir(terminal), version: 1, file: undefined, text });
}

function loadTarget(target: Target | undefined, input: Input): Snapshot {
  const { terminal, options } = input;
  const common = { env: terminal.env, stateDir: findStateDir(terminal), version: 1 };
  switch (target?.kind) {
    case 'url':
    case 'command':
      return loadSnapshot({
        ...common,
        file: undefined,
        text: JSON.stringify({ mcpServers: describeTarget(target, options) }),
      });
    case 'file':
      return pickServer(target.server, { ...common, file: resolve(terminal.cwd, target.file) });
    default:
      return pickServer(target?.name, { ...common, file: findConfigFile(textOption(options, 'config'), terminal) });
  }
}

function describeTarget(target: Extract<Target, { kind: 'url' | 'command' }>, options: Input['options']): JsonObject {
  const type = textOption(options, 'type');
  if (target.kind === 'url') {
    return {
      [toServerName(hostOf(target.url))]: { url: literal(target.url), ...(type === undefined ? {} : { type }) },
    };
  }
  // `npx -y some-server` is better called by what it starts.
  const name = [...target.args, target.command].find((word) => /server|mcp/i.test(word)) ?? target.command;
  const args = target.args.map(literal);
  return { [toServerName(name.replace(/^.*[/\\](?=.)/, ''))]: { command: literal(target.command), args } };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'server';
}

/** The shell has filled in what it should: nothing is filled in a second time. */
function literal(text: string): string {
  return text.replaceAll('${', '$${');
}

function pickServer(name: string | undefined, request: SnapshotRequest): Snapshot {
  if (name === undefined) return readSnapshot(request);
  const snapshot = request.file === undefined ? undefined : readSnapshot({ ...request, only: name });
  if (snapshot?.servers.has(name)) return snapshot;
  throw unknownServer(name, request);
}

function unknownServer(name: string, request: SnapshotRequest): FaultError {
  const { file } = request;
  if (file === undefined) {
    return new FaultError(
      'not_found',
      `There is no configuration yet, so no server "${name}". Add it with "sallyport server add", or give a URL or a file.`,
    );
  }
  const near = nearestName(name, listWritten(file, readConfigText(file), isYaml(file)).keys());
  const fix = near === undefined ? '"sallyport server list" has the names.' : `Did you mean "${near}"?`;
  return new FaultError('not_found', `${file} has no enabled server "${name}". ${fix}`);
}

function applyOptions(settings: ServerSettings, input: Input): ServerSettings {
  const { options } = input;
  const timeout = textOption(options, 'timeout');
  const era = textOption(options, 'era');
  if (era !== undefined && era !== 'auto' && era !== 'legacy' && era !== 'modern') {
    throw new FaultError('usage', '--era is auto, legacy or modern.');
  }
  const ms = timeout === undefined ? undefined : parseDuration(timeout);
  return {
    ...settings,
    transport: applyToTransport(settings.transport, input),
    ...(era === undefined ? {} : { era }),
    ...(ms === undefined ? {} : { timeoutMs: ms, maxTimeoutMs: ms, startTimeoutMs: ms }),
  };
}

function applyToTransport(
  transport: ServerSettings['transport'],
  { options, terminal }: Input,
): ServerSettings['transport'] {
  const read = (file: string) => readConfigText(resolve(terminal.cwd, file));
  const headers = parseHeaderPairs(listOption(options, 'header'), read);
  const env = parseEnvPairs(listOption(options, 'env'));
  if (transport.type === 'stdio') {
    if (Object.keys(headers).length > 0) throw new FaultError('usage', '--header is for servers reached by URL.');
    return { ...transport, env: { ...transport.env, ...env } };
  }
  if (Object.keys(env).length > 0) throw new FaultError('usage', '--env is for servers started by a command.');
  return { ...transport, headers: { ...transport.headers, ...headers } };
}

/** The folders of `--root`, absolute. */
export function rootsOf({ options, terminal }: Input): readonly string[] {
  return listOption(options, 'root').map((folder) => resolve(terminal.cwd, folder));
}

export function wantsProgress({ options }: Input): boolean {
  return isSet(options, 'progress');
}
