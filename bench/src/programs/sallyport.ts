import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Target } from '../load/connection.ts';
import { startNode } from '../process/child.ts';
import type { Launched, LaunchOptions } from './program.ts';

const DIST = fileURLToPath(new URL('..', import.meta.url));
const STDIO_UPSTREAM = join(DIST, 'upstream/stdio-server.js');

export const SALLYPORT = join(DIST, '../../packages/sallyport/bin/sallyport.js');
/** The same in the files it was built from: a profile names them. */
const UNBUNDLED = join(DIST, '../../packages/sallyport/dist/cli/main.js');
/** One `mcpServers` entry for the stdio upstream. */
export const STDIO_ENTRY = { command: process.execPath, args: [STDIO_UPSTREAM] };

export interface SallyportOptions {
  /** Shown by callers instead of the laptop's key. */
  readonly key?: string;
  /** Sections of the configuration beside the servers. */
  readonly sections: Readonly<Record<string, object>>;
  /** Of its process, beside this one's. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Texts and arguments are not read: rows keep their meaning, and `default` and `all` measure what reading costs. */
export const UNREAD = {
  scan: { definitions: 'off', results: 'off' },
  argumentSafety: { enabled: false },
  taint: { mode: 'off' },
  secrets: { mode: 'off' },
};

/** The record is measured with the doors, not with the relay: see bench/README.md. */
const RELAY: SallyportOptions = { sections: { audit: { mode: 'off' }, ...UNREAD } };

/** Sallyport with the upstreams `servers`, as in its configuration file; calls go to the one named `echo`. */
export async function launchSallyport(
  servers: Readonly<Record<string, object>>,
  { directory, nodeFlags }: LaunchOptions,
  { key: ownKey, sections, env }: SallyportOptions = RELAY,
): Promise<Launched> {
  if (!existsSync(UNBUNDLED)) throw new Error(`${UNBUNDLED} is not built`);
  const file = writeConfig(directory, { mcpServers: servers, gateway: { port: 0 }, ...sections });
  const child = startNode({
    args: [
      ...nodeFlags,
      nodeFlags.some((flag) => flag.startsWith('--cpu-prof')) ? UNBUNDLED : SALLYPORT,
      'up',
      '--config',
      file,
      '--json',
    ],
    env: { SALLYPORT_STATE: join(directory, 'state'), ...env },
  });
  const target = child.stdoutLine.then((line): Target => {
    const { url, keyFile } = JSON.parse(line) as { url: string; keyFile: string };
    const { port, pathname } = new URL(url);
    const headers = { authorization: `Bearer ${ownKey ?? readFileSync(keyFile, 'utf8').trim()}` };
    return { port: Number(port), path: pathname, front: 'http', headers, toolPrefix: 'echo_' };
  });
  return { child, target };
}

export function upstreamEntry({ via, upstreamUrl }: LaunchOptions): object {
  return via === 'http' ? { url: upstreamUrl } : STDIO_ENTRY;
}

/** In the form `mcpServers` that all programs read. Returns the file's path. */
export function writeConfig(directory: string, config: object): string {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'servers.json');
  writeFileSync(file, JSON.stringify(config));
  return file;
}
