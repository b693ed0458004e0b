import { findPackage, type StartedPackage } from './find-package.ts';
import type { Transport } from './settings.ts';

/** What a stdio command runs, as far as its words tell. */
export type StartedProgram =
  | { readonly kind: 'package'; readonly runner: string; readonly spec: string; readonly found: StartedPackage }
  /** A file for an interpreter: the first of `candidates` that is there; `also` is loaded before it. */
  | {
      readonly kind: 'script';
      readonly language: Language;
      readonly candidates: readonly string[];
      readonly also: readonly string[];
    }
  /** The code stands in the arguments. */
  | { readonly kind: 'inline'; readonly interpreter: string; readonly code: readonly string[] }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'image'; readonly engine: string; readonly image: string }
  | { readonly kind: 'executable'; readonly command: string }
  | { readonly kind: 'opaque'; readonly reason: string };

export type Language = 'javascript' | 'python' | 'other';

interface Interpreter {
  readonly language: Language;
  /** Options whose value, or the rest of the words, is the code. */
  readonly evaluates: readonly string[];
  /** Options whose value is a file that is loaded as well. */
  readonly loads: readonly string[];
  /** Options whose next word is their value. */
  readonly takes: readonly string[];
  /** Words before the file that are none. */
  readonly skips: readonly string[];
}

const NODE: Interpreter = {
  language: 'javascript',
  evaluates: ['-e', '--eval', '-p', '--print', '-pe'],
  loads: ['-r', '--require', '--import', '--loader', '--experimental-loader'],
  takes: ['-C', '--conditions', '--env-file', '--env-file-if-exists', '--title', '--tsconfig', '--config', '-c'],
  skips: ['run', 'watch'],
};
const PYTHON: Interpreter = {
  language: 'python',
  evaluates: ['-c'],
  loads: [],
  takes: ['-W', '-X', '--check-hash-based-pycs'],
  skips: [],
};
const OTHER: Interpreter = {
  language: 'other',
  evaluates: ['-c', '-e'],
  loads: ['-r'],
  takes: ['-I', '-jar'],
  skips: [],
};
const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map([
  ...['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node'].map((name) => [name, NODE] as const),
  ...['sh', 'bash', 'zsh', 'dash', 'ksh', 'ruby', 'perl', 'php', 'lua', 'dotnet', 'pwsh'].map(
    (name) => [name, OTHER] as const,
  ),
  // `-jar` names the file itself.
  ['java', { ...OTHER, evaluates: [], takes: ['-cp', '-classpath', '--class-path', '-p', '--module-path'] }],
]);
const PYTHONS = /^(?:python|pypy)w?[\d.]*$/;
const ENGINES = new Set(['docker', 'podman', 'nerdctl']);
/** Options of `run` that stand alone; all others take a value (docs.docker.com/reference/cli/docker/container/run). */
const ALONE = new Set(
  'detach disable-content-trust help init interactive no-healthcheck oom-kill-disable privileged publish-all quiet read-only rm sig-proxy tty replace'
    .split(' ')
    .map((name) => `--${name}`),
);
const ALONE_SHORT = /^-[itdPq]+$/;

/** `undefined`: nothing is started here. */
export function readCommand(transport: Transport): StartedProgram | undefined {
  if (transport.type !== 'stdio') return undefined;
  return readWords(transport.command, transport.args, 0);
}

function readWords(command: string, args: readonly string[], depth: number): StartedProgram {
  const name = toProgramName(command);
  const unwrapped = unwrap(name, args);
  if (unwrapped !== undefined && depth < 4) {
    const [inner, ...rest] = unwrapped;
    return inner === undefined
      ? { kind: 'opaque', reason: `${name} without a program` }
      : readWords(inner, rest, depth + 1);
  }
  if (ENGINES.has(name)) return readImage(name, args);
  if (name === 'uv' || name === 'uvx' || name === 'pipx') return readPython(name, args) ?? readRunner(command, args);
  const interpreter = PYTHONS.test(name) ? PYTHON : INTERPRETERS.get(name);
  if (interpreter !== undefined) return readScript(name, interpreter, args);
  return readRunner(command, args);
}

function toProgramName(command: string): string {
  return command.replace(/^.*[\\/]/, '').replace(/\.(?:cmd|exe|ps1|bat)$/i, '');
}

/** Programs that only start another one. */
function unwrap(name: string, args: readonly string[]): readonly string[] | undefined {
  if (name === 'cmd' && /^\/c$/i.test(args[0] ?? '')) return args.slice(1);
  if (name === 'env' && args.every((word, i) => i > 0 || !word.startsWith('-')))
    return args.slice(args.findIndex((word) => !/^\w+=/.test(word)));
  if (name === 'nohup' || name === 'nice' || name === 'exec') return args[0]?.startsWith('-') ? undefined : args;
  return undefined;
}

function readRunner(command: string, args: readonly string[]): StartedProgram {
  const runner = toProgramName(command);
  const found = findPackage({ type: 'stdio', command, args, env: {}, cwd: undefined });
  if (args.filter((word) => /^(?:-p|--package)(?:=|$)/.test(word)).length > 1)
    return { kind: 'opaque', reason: 'it asks for several packages' };
  if (found !== undefined) return { kind: 'package', runner, spec: found.spec, found };
  if (!RUNNERS.has(runner)) return { kind: 'executable', command };
  const folder = args.find((word) => /^(?:\.{1,2}$|\.{0,2}\/)/.test(word));
  if (runner === 'npx' && folder !== undefined) return { kind: 'folder', path: folder };
  return { kind: 'opaque', reason: `what "${runner}" runs here stands in no registry` };
}

const RUNNERS = new Set(['npx', 'pnpx', 'bunx', 'pnpm', 'npm', 'yarn', 'uvx', 'uv', 'pipx']);

/** `uv run`, which runs a file or a project; `undefined`: it runs a package. */
function readPython(name: string, args: readonly string[]): StartedProgram | undefined {
  const run = args.indexOf('run');
  if (name !== 'uv' || run < 0 || args.slice(0, run).includes('tool')) return undefined;
  const at = args.findIndex((word) => word === '--directory' || word === '--project');
  const folder = at < 0 ? '.' : (args[at + 1] ?? '.');
  const file = args.slice(run + 1).find((word) => word.endsWith('.py'));
  if (file === undefined) return { kind: 'folder', path: folder };
  return { kind: 'script', language: 'python', candidates: [`${folder}/${file}`, file], also: [] };
}

function readScript(name: string, interpreter: Interpreter, args: readonly string[]): StartedProgram {
  const candidates: string[] = [];
  const also: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? '';
    const [option = '', value] = word.startsWith('--') ? word.split(/=(.*)/s, 2) : [word];
    if (interpreter.evaluates.includes(option)) return { kind: 'inline', interpreter: name, code: args.slice(i) };
    if (interpreter.language === 'python' && option === '-m')
      return { kind: 'opaque', reason: `only the interpreter knows where the module "${args[i + 1] ?? ''}" is` };
    if (interpreter.loads.includes(option)) {
      also.push(value ?? args[++i] ?? '');
    } else if (interpreter.takes.includes(option)) {
      if (value === undefined && option !== '-jar') i++;
    } else if (word === '--') continue;
    else if (!word.startsWith('-') && !(candidates.length === 0 && interpreter.skips.includes(word))) {
      candidates.push(word);
      // A few: an option we do not know may have taken the word before.
      if (candidates.length === 3) break;
    }
  }
  if (candidates.length === 0) return { kind: 'opaque', reason: `${name} is given no file` };
  return { kind: 'script', language: interpreter.language, candidates, also };
}

function readImage(engine: string, args: readonly string[]): StartedProgram {
  const run = args.indexOf('run');
  if (run < 0) return { kind: 'opaque', reason: `${engine} is not told to run an image` };
  for (let i = run + 1; i < args.length; i++) {
    const word = args[i] ?? '';
    if (!word.startsWith('-')) return { kind: 'image', engine, image: word };
    if (!word.includes('=') && !ALONE.has(word) && !ALONE_SHORT.test(word)) i++;
  }
  return { kind: 'opaque', reason: `${engine} is given no image` };
}
