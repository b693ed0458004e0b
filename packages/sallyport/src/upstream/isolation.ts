import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { BLOCK, BOX_STDIO, isRoot, readBoxedPid, toBoxed } from './boxed-process.ts';
import { findProgram, readInterpreter } from './find-program.ts';
import { type StdioSettings, toSpawnFault } from './spawn-fault.ts';

/** How a child is started. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Another user's; left out: as Sallyport itself. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The command is bubblewrap, which starts the server's: `boxed-process.ts`. */
  readonly isBoxed: boolean;
}

/** @throws FaultError `unreachable` when it cannot be started as its settings ask. */
export type Isolate = (settings: StdioSettings, environment: Readonly<Record<string, string>>) => Promise<Launch>;

export type Isolation =
  | { readonly kind: 'works'; readonly program: string }
  | { readonly kind: 'missing' | 'broken' | 'elsewhere'; readonly reason: string };

const PROBE_MS = 5000;

/**
 * Starts children so that they cannot read what would make them an operator: keys, the control token, the database. As
 * another user where the settings name one; else in a mount namespace of bubblewrap in which the state directory is
 * empty. All else stays: files, network, environment, working directory, process numbers.
 */
export function createIsolation(stateDir: string): Isolate {
  let probing: Promise<Isolation> | undefined;
  return async (settings, environment) => {
    const { transport, isolation = 'auto', user } = settings;
    const plain: Launch = { command: transport.command, args: transport.args, environment, isBoxed: false };
    if (user !== undefined) return toUserLaunch(settings, plain, user);
    // Nothing is there yet, and nothing of this process will be: a gateway makes it before it starts a server.
    if (isolation === 'off' || !existsSync(stateDir)) return plain;
    probing ??= probeIsolation(stateDir);
    const found = await probing;
    if (found.kind === 'works') return toBox(settings, plain, { program: found.program, stateDir });
    if (isolation === 'required') throw toFault(settings, `it has to run isolated, and ${found.reason}`);
    return plain;
  };
}

/** Whether bubblewrap is there and can do here what it is needed for. */
export async function probeIsolation(stateDir: string): Promise<Isolation> {
  if (process.platform !== 'linux') return { kind: 'elsewhere', reason: 'bubblewrap runs on Linux only.' };
  const place = { command: 'bwrap', cwd: '/', path: process.env['PATH'] ?? '', extensions: [] };
  const found = findProgram(place);
  if (found.kind !== 'found') return { kind: 'missing', reason: 'bubblewrap (bwrap) is not installed.' };
  const directory = existsSync(stateDir) ? realpathSync(stateDir) : '/tmp';
  // What it hides is hidden, and a program starts.
  const check = ['-c', 'for one in "$0"/*; do [ ! -e "$one" ] || exit 7; done', directory];
  const failure = await tryBox(found.path, [...boxArguments(directory, []), ...toBoxed('/bin/sh', check)]);
  return failure === undefined
    ? { kind: 'works', program: found.path }
    : { kind: 'broken', reason: `bubblewrap does not work here (${failure}).` };
}

/** Why a command in the box does not end well; `undefined`: it does. */
function tryBox(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const started = spawn(program, args, { cwd: '/', stdio: BOX_STDIO, timeout: PROBE_MS, killSignal: 'SIGKILL' });
    started.once('error', (error) => resolve(error.message));
    const ended = (code: number | null, signal: string | null) =>
      resolve(code === 0 ? undefined : `it ended with ${signal ?? code}`);
    readBoxedPid(started, {
      found: () => started.once('exit', ended),
      failed: (words) => resolve(words === '' ? 'it said nothing' : words),
    });
  });
}

/**
 * Bubblewrap's arguments, without the command.
 * @param home what the server finds in place of the state directory; left out: an empty one, in which a file that is written is
 * refused, not lost
 */
function boxArguments(directory: string, visible: readonly string[], home?: string): string[] {
  return [
    ...['--dev-bind', '/', '/', ...(home === undefined ? ['--tmpfs', directory] : ['--bind', home, directory])],
    ...visible.flatMap((path) => ['--bind-try', path, path]),
    ...(home === undefined ? ['--remount-ro', directory] : []),
    // Bubblewrap waits beside the child. Signals for the child's group do not reach it: it would end first.
    ...['--new-session', '--die-with-parent'],
    // The kernel keeps processes of another user namespace from looking into Sallyport and into the bubblewrap that waits, with the
    // same user id and with all capabilities of their own: /proc/<pid>/root, environ, mem, ptrace.
    '--unshare-user',
    // Only root has capabilities there, and keeps those that do not undo the mount.
    ...(isRoot()
      ? [...BLOCK, '--cap-drop', 'CAP_SYS_ADMIN', '--cap-drop', 'CAP_DAC_READ_SEARCH']
      : ['--cap-drop', 'ALL']),
  ];
}

function toBox(
  settings: StdioSettings,
  plain: Launch,
  { program, stateDir }: { readonly program: string; readonly stateDir: string },
): Launch {
  refuseMissing(settings, plain.environment);
  const directory = realpathSync(stateDir);
  const named = findNamed(settings, plain.environment, [directory, stateDir]);
  const visible = findForeign(settings, plain.environment, directory).filter((name) => !named.includes(name));
  const home = named.length === 0 ? undefined : makeHome(settings.name, directory, named);
  const paths = visible.map((name) => join(directory, name));
  const args = [...boxArguments(directory, paths, home), ...toBoxed(plain.command, plain.args)];
  return { ...plain, command: program, args, isBoxed: true };
}

/** What cannot be started fails as it does without bubblewrap, which would say so in words of its own. */
function refuseMissing(settings: StdioSettings, environment: Readonly<Record<string, string>>): void {
  const { command, cwd = process.cwd() } = settings.transport;
  const place = { cwd, path: environment['PATH'] ?? '', extensions: [] };
  const found = findProgram({ ...place, command });
  const interpreter = found.kind === 'found' ? readInterpreter(found.path) : undefined;
  const isMissing =
    !existsSync(cwd) ||
    found.kind === 'missing' ||
    (interpreter !== undefined && findProgram({ ...place, command: interpreter }).kind !== 'found');
  const code = isMissing ? 'ENOENT' : found.kind === 'unusable' ? 'EACCES' : undefined;
  if (code !== undefined) throw toSpawnFault(settings, Object.assign(new Error(code), { code }));
}

/** What Sallyport itself writes into its state directory, drafts included. */
export const OWN_FILES =
  /^(?:children$|key|seal-key|token-key|control|audit|sallyport\.db|catalog\.json|eras\.json|gateway\.json|\.sallyport-)/;

/**
 * Files directly in the state directory that the entry of a server names, such as `${SALLYPORT_STATE}/memory.jsonl`: the server
 * may write them, and a new file beside each before it takes its place.
 */
function findNamed(
  { transport }: StdioSettings,
  environment: Readonly<Record<string, string>>,
  directories: readonly string[],
): readonly string[] {
  const found = new Set<string>();
  for (const text of [...transport.args, ...Object.values(environment)])
    for (const directory of directories) {
      const start = text.indexOf(`${directory}/`);
      const name = start < 0 ? undefined : /^[^/\s"',;:]+$/.exec(text.slice(start + directory.length + 1))?.[0];
      const isFolder = name !== undefined && lstatSync(join(directory, name), { throwIfNoEntry: false })?.isDirectory();
      if (name !== undefined && isFolder !== true && !OWN_FILES.test(name)) found.add(name);
    }
  return [...found];
}

/** The folder that a server finds in place of the state directory, with the files of its own that were in that directory. */
function makeHome(server: string, directory: string, names: readonly string[]): string {
  const home = join(directory, 'children', encodeURIComponent(server).replaceAll('.', '%2E'));
  mkdirSync(home, { recursive: true, mode: 0o700 });
  for (const name of names) {
    const before = join(directory, name);
    if (lstatSync(before, { throwIfNoEntry: false })?.isFile() === true) renameSync(before, join(home, name));
  }
  return home;
}

/** What somebody put beside Sallyport's own files, for a server that is started from there or is told of it. */
function findForeign(
  { transport }: StdioSettings,
  environment: Readonly<Record<string, string>>,
  directory: string,
): readonly string[] {
  const { command, args, cwd = process.cwd() } = transport;
  const from = relative(directory, existsSync(cwd) ? realpathSync(cwd) : cwd);
  const isInside = !from.startsWith('..') && !isAbsolute(from);
  const isNamed = [command, ...args, ...Object.values(environment)].some((text) => text.includes(directory));
  return isInside || isNamed ? readdirSync(directory).filter((name) => !OWN_FILES.test(name)) : [];
}

/** Values that belong to Sallyport's user. */
const OF_ONE_USER = /^(?:HOME|USER|LOGNAME|SHELL|XDG_.*)$/;

function toUserLaunch(settings: StdioSettings, plain: Launch, user: string): Launch {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw toFault(
      settings,
      `it is to run as the user "${user}", which only a Sallyport that runs as root on Linux can do. Start Sallyport as root, or remove "user".`,
    );
  const account = findAccount(user);
  if (account === undefined)
    throw toFault(settings, `there is no user "${user}" in /etc/passwd. Create it, or correct "user".`);
  if (account.uid === 0) throw toFault(settings, `the user "${user}" is root. Give another one as "user".`);
  const kept = Object.entries(plain.environment).filter(([name]) => !OF_ONE_USER.test(name));
  const own = { HOME: account.home, USER: account.name, LOGNAME: account.name };
  return {
    ...plain,
    environment: { ...Object.fromEntries(kept), ...own, ...settings.transport.env },
    user: { uid: account.uid, gid: account.gid },
  };
}

interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** By name or number, passwd(5). */
function findAccount(user: string): Account | undefined {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name = '', , uid = '', gid = '', , home = ''] = line.split(':');
    if (name !== user && uid !== user) continue;
    if (/^\d+$/.test(uid) && /^\d+$/.test(gid)) return { name, uid: Number(uid), gid: Number(gid), home };
  }
  return undefined;
}

function toFault({ name }: StdioSettings, why: string): FaultError {
  return new FaultError('unreachable', `The server "${name}" could not be started: ${why}`, { isOurs: true });
}
