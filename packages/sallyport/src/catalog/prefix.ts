import type { PrefixMode, ServerSettings, Transport } from '../config/settings.ts';
import { toNameCharacters } from './names.ts';

/**
 * The prefix of one server's names on the shared endpoint (requirement P10); empty: none. `random` gives the server's
 * own random word, the same at every call.
 */
export function choosePrefix(server: ServerSettings, mode: PrefixMode, random: (server: string) => string): string {
  if (server.prefix !== undefined) return server.prefix;
  switch (mode) {
    case 'server':
      return server.name;
    case 'random':
      return random(server.name);
    case 'uri':
      return uriPrefix(server.transport);
    case 'none':
      return '';
  }
}

/** Programs that run another one named by their first plain argument. */
const RUNNERS = new Set([
  'npx',
  'bunx',
  'uvx',
  'pipx',
  'pnpx',
  'pnpm',
  'yarn',
  'bun',
  'uv',
  'docker',
  'podman',
  'deno',
]);
const INTERPRETERS = new Set(['node', 'tsx', 'python', 'python3', 'ruby', 'java', 'bash', 'sh', 'cmd']);
const RUNNER_VERBS = new Set(['run', 'dlx', 'exec', 'tool', 'x', 'start']);
/** File and folder names that say nothing about whose they are. */
const PLAIN_NAMES = new Set(['index', 'main', 'server', 'cli', 'app', 'dist', 'build', 'src', 'bin', 'lib', '']);

/** Host and path of a URL, or the package or program of a command, in name characters. */
function uriPrefix(transport: Transport): string {
  if (transport.type !== 'stdio') {
    const url = URL.canParse(transport.url) ? new URL(transport.url) : undefined;
    if (url === undefined) return toNameCharacters(transport.url);
    const path = url.pathname.split('/').filter((part) => part !== '');
    return toNameCharacters([url.host, ...path].join('_'));
  }
  const program = baseName(transport.command).replace(/\.(exe|cmd)$/i, '');
  const argument = transport.args.find((arg) => !arg.startsWith('-') && !RUNNER_VERBS.has(arg));
  if (argument === undefined) return toNameCharacters(program);
  if (RUNNERS.has(program)) return toNameCharacters(packageName(argument));
  return toNameCharacters(INTERPRETERS.has(program) ? scriptName(argument) : program);
}

/** `@scope/name@1.2` -> `scope_name`; `image:tag` -> `image`. */
function packageName(argument: string): string {
  return argument
    .replace(/^@/, '')
    .replace(/[@:][^/]{0,256}$/, '')
    .replaceAll('/', '_');
}

/** The last telling part of a path: `/x/weather/dist/index.js` -> `weather`. */
function scriptName(path: string): string {
  const parts = path.split(/[\\/]/).map((part) => part.replace(/\.[A-Za-z]{1,3}$/, ''));
  return parts.findLast((part) => !PLAIN_NAMES.has(part)) ?? baseName(path);
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
