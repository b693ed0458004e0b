import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { toBoxed } from './boxed-process.ts';
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
    if (isolation === 'required')
      throw toFault(
        settings,
        `"isolation" is "required", and ${found.reason} "sallyport doctor" says how to mend that.`,
      );
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
  const check = ['/bin/sh', '-c', 'for one in "$0"/*; do [ ! -e "$one" ] || exit 7; done', directory];
  const args = [...boxArguments(found.path, directory, []), '--', ...check];
  const failure = await new Promise<string | undefined>((resolve) => {
    execFile(found.path, args, { timeout: PROBE_MS, killSignal: 'SIGKILL', cwd: '/' }, (error, _, stderr) =>
      resolve(error === null ? undefined : stderr.trim().slice(0, 200) || error.message.slice(0, 200)),
    );
  });
  return failure === undefined
    ? { kind: 'works', program: found.path }
    : { kind: 'broken', reason: `bubblewrap does not work here (${failure}).` };
}

/**
 * Capabilities with which root could look behind the mount, into Sallyport's memory or at the disk (capabilities(7)).
 * Without them the kernel also keeps root from processes that have them: /proc/<pid>/root, environ and mem.
 */
const TAKEN_FROM_ROOT = 'SYS_ADMIN SYS_PTRACE SYS_MODULE SYS_RAWIO SYS_BOOT DAC_READ_SEARCH MKNOD PERFMON BPF'
  .split(' ')
  .flatMap((name) => ['--cap-drop', `CAP_${name}`]);

const EVERYTHING = ['--dev-bind', '/', '/'];
// Bubblewrap waits beside the child. Signals for the child's group do not reach it: it would end first.
const WAIT = ['--new-session', '--die-with-parent'];

/** Arguments of bubblewrap, without the command. */
function boxArguments(program: string, directory: string, visible: readonly string[]): string[] {
  const hide = [
    ...EVERYTHING,
    ...['--tmpfs', directory],
    ...visible.flatMap((path) => ['--bind-try', path, path]),
    // A file that is written there is refused, not lost.
    ...['--remount-ro', directory],
    ...WAIT,
  ];
  // In another user namespace the kernel keeps /proc/<pid>/root, environ and mem of Sallyport, and of the bubblewrap that
  // waits, from the same user.
  if (process.getuid?.() !== 0) return [...hide, '--unshare-user', '--cap-drop', 'ALL'];
  // Root stays in its own: in another it could not read and write files of all users. The bubblewrap that waits sees the
  // directory, and would be open to a child with the same capabilities: a second one, inside, takes them away.
  return [...hide, '--', program, ...EVERYTHING, ...WAIT, ...TAKEN_FROM_ROOT];
}

function toBox(
  settings: StdioSettings,
  plain: Launch,
  { program, stateDir }: { readonly program: string; readonly stateDir: string },
): Launch {
  refuseMissing(settings, plain.environment);
  const directory = realpathSync(stateDir);
  const visible = findForeign(settings, plain.environment, directory).map((name) => join(directory, name));
  const args = [...boxArguments(program, directory, visible), ...toBoxed(plain.command, plain.args)];
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
  /^(?:key|seal-key|token-key|control|audit|sallyport\.db|catalog\.json|eras\.json|gateway\.json|\.sallyport-)/;

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
