import { isSensitivePath, isWithin } from '../argument-safety/paths.ts';

/** What decides where a server may write without being asked. */
export interface Started {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

const RUNNERS = /(?:^|[\\/])(?:npx|pnpx|bunx|pnpm|npm|yarn|uvx|uv|pipx)(?:\.(?:cmd|exe))?$/i;
const PROGRAM = /\.(?:[cm]?[jt]s|py|jar|rb|php|sh|exe|dll)$/i;
const MAX_WORDS = 64;

/**
 * The directories and files that the operator gave to a server on its command line or in its environment; the directory it is
 * started in where there are none. Absolute.
 */
export function readRoots(
  { command, args, env, cwd }: Started,
  at: { readonly home: string; readonly cwd: string },
): readonly string[] {
  const base = toAbsolute(cwd ?? at.cwd, { home: at.home, cwd: at.cwd });
  const words = args
    .slice(0, MAX_WORDS)
    .flatMap((word, index) => (isProgram(command, args, index) ? [] : pathsIn(word)));
  const given = [...words, ...Object.values(env).filter((value) => /^[~/]/.test(value) && !value.includes(':'))];
  const roots = given.map((path) => toAbsolute(path, { home: at.home, cwd: base }));
  return words.length === 0 ? [base, ...roots] : roots;
}

/** The script, module or package that is started is no directory to write to. */
function isProgram(command: string, args: readonly string[], index: number): boolean {
  const word = args[index] ?? '';
  if (word.startsWith('@') || PROGRAM.test(word)) return true;
  return RUNNERS.test(command) && args.findIndex((one) => !one.startsWith('-')) === index;
}

/** `--root=/data`, `-v /data:/data`, `shared`. */
function pathsIn(word: string): readonly string[] {
  const value = word.startsWith('-') ? (word.split(/=(.*)/s, 2)[1] ?? '') : word;
  if (value === '' || value.includes('://')) return [];
  const parts = /^[A-Za-z]:[\\/]/.test(value) ? [value] : value.split(':');
  return parts.filter((part) => part !== '' && (parts.length === 1 || /^[~./]/.test(part)));
}

/** Whether a path of a call lies where the operator lets the server work. `roots` left out: a server somewhere else. */
export function isInsideRoots(path: string, roots: readonly string[] | undefined, home: string): boolean {
  if (isSensitivePath(path)) return false;
  const plain = path.startsWith('file://') ? decodePath(path.slice('file://'.length)) : path;
  const isRelative = !/^(?:[~/\\]|[A-Za-z]:[\\/])/.test(plain);
  if (isRelative) return !climbs(plain);
  return roots !== undefined && isWithin(toAbsolute(plain, { home, cwd: '/' }), roots);
}

function climbs(path: string): boolean {
  let depth = 0;
  for (const step of path.split(/[\\/]/)) {
    if (step === '..') depth--;
    else if (step !== '' && step !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Without touching a disk: `~`, `.` and `..` are taken out. */
function toAbsolute(path: string, { home, cwd }: { readonly home: string; readonly cwd: string }): string {
  const whole = /^~(?=[\\/]|$)/.test(path) ? `${home}${path.slice(1)}` : path;
  if (/^[A-Za-z]:[\\/]/.test(whole)) return whole;
  const steps: string[] = [];
  for (const step of (whole.startsWith('/') ? whole : `${cwd}/${whole}`).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `/${steps.join('/')}`;
}
