import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Target } from '../load/connection.ts';
import { freePort, startNode } from '../process/child.ts';
import { launchAllOn } from './all-on.ts';
import { launchGuarded } from './guarded.ts';
import type { Launched, LaunchOptions, Program } from './program.ts';
import { launchSallyport, upstreamEntry, writeConfig } from './sallyport.ts';

const DIST = fileURLToPath(new URL('..', import.meta.url));
const STDIO_UPSTREAM = join(DIST, 'upstream/stdio-server.js');

/** What tells the stdio upstream's process from a helper of the program: it stands in the command line. */
export const UPSTREAM_MARK = 'upstream/stdio-server.js';
export const HTTP_UPSTREAM = join(DIST, 'upstream/http-server.js');

/** In the order of the tables. Adding a peer is a row here and a devDependency with an exact version. */
export const PROGRAMS: readonly Program[] = [
  {
    name: 'direct',
    kind: 'baseline',
    vias: ['http'],
    eras: ['legacy', 'modern'],
    mostSessions: 0,
    launch: async ({ upstreamUrl }) => {
      const { port, pathname } = new URL(upstreamUrl);
      return { child: undefined, target: Promise.resolve(plainTarget(Number(port), pathname)) };
    },
  },
  {
    name: 'raw',
    kind: 'baseline',
    vias: ['http'],
    eras: ['legacy', 'modern'],
    mostSessions: 1_000,
    launch: async (options) => launchOwn('middle/raw-proxy.js', [options.upstreamUrl], options),
  },
  {
    name: 'sallyport',
    kind: 'sallyport',
    vias: ['http', 'stdio'],
    eras: ['legacy', 'modern'],
    mostSessions: 1_000,
    launch: (options) => launchSallyport({ echo: upstreamEntry(options) }, options),
  },
  {
    // As a new user has it: a configuration of nothing but servers.
    name: 'default',
    kind: 'sallyport',
    vias: ['http'],
    eras: ['legacy', 'modern'],
    mostSessions: 1_000,
    launch: (options) => launchSallyport({ echo: upstreamEntry(options) }, options, { sections: {} }),
  },
  {
    name: 'guarded',
    kind: 'sallyport',
    vias: ['http'],
    eras: ['legacy', 'modern'],
    mostSessions: 1_000,
    launch: launchGuarded,
  },
  {
    name: 'all',
    kind: 'sallyport',
    vias: ['http'],
    eras: ['legacy', 'modern'],
    mostSessions: 1_000,
    launch: launchAllOn,
  },
  {
    name: 'sdk-relay',
    kind: 'sdk',
    vias: ['http', 'stdio'],
    eras: ['legacy', 'modern'],
    mostSessions: 1_000,
    launch: async (options) => {
      const upstream = options.via === 'http' ? [options.upstreamUrl] : [process.execPath, STDIO_UPSTREAM];
      return launchOwn('middle/sdk-relay.js', upstream, options);
    },
  },
  {
    name: 'mcp-proxy',
    kind: 'peer',
    vias: ['http', 'stdio'],
    eras: ['legacy', 'modern'],
    mostSessions: 1_000,
    launch: async (options) => {
      const port = await freePort();
      const args =
        options.via === 'http'
          ? [join(DIST, 'middle/mcp-proxy-http.js'), options.upstreamUrl, String(port)]
          : [
              ...[entryOf('mcp-proxy'), '--port', String(port), '--host', '127.0.0.1', '--server', 'stream'],
              ...['--', process.execPath, STDIO_UPSTREAM],
            ];
      return launchPeer(args, plainTarget(port, '/mcp'), options);
    },
  },
  {
    // Stateful, which for calls is its fast mode: a child per session instead of one per request. In the modern era it
    // starts a child per request in either mode.
    name: 'supergateway',
    kind: 'peer',
    vias: ['stdio'],
    eras: ['legacy', 'modern'],
    mostSessions: 20,
    launch: async (options) => {
      const port = await freePort();
      const mode = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none', '--port', String(port)];
      const args = [entryOf('supergateway'), '--stdio', `${process.execPath} ${STDIO_UPSTREAM}`, ...mode];
      return launchPeer(args, plainTarget(port, '/mcp'), options);
    },
  },
  {
    name: 'mcp-hub',
    kind: 'peer',
    vias: ['http', 'stdio'],
    eras: ['legacy'],
    mostSessions: 1_000,
    launch: async (options) => {
      const port = await freePort();
      const file = writeConfig(options.directory, { mcpServers: { echo: upstreamEntry(options) } });
      const target: Target = { ...plainTarget(port, '/mcp'), front: 'sse', toolPrefix: 'echo__' };
      return launchPeer([entryOf('mcp-hub'), '--port', String(port), '--config', file], target, options);
    },
  },
];

function launchOwn(entry: string, args: readonly string[], { nodeFlags }: LaunchOptions): Launched {
  const child = startNode({ args: [...nodeFlags, join(DIST, entry), ...args] });
  const target = child.stdoutLine.then((line) => plainTarget((JSON.parse(line) as { port: number }).port, '/mcp'));
  return { child, target };
}

function launchPeer(args: readonly string[], target: Target, { directory, nodeFlags }: LaunchOptions): Launched {
  mkdirSync(directory, { recursive: true });
  // Peers keep logs and caches in the home folder: they get one of their own.
  const env = { HOME: directory, XDG_STATE_HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  return { child: startNode({ args: [...nodeFlags, ...args], env }), target: Promise.resolve(target) };
}

function plainTarget(port: number, path: string): Target {
  return { port, path, front: 'http', headers: {}, toolPrefix: '' };
}

/** The file behind the command of an installed package. */
function entryOf(name: string): string {
  for (let folder = DIST; folder !== dirname(folder); folder = dirname(folder)) {
    const root = join(folder, 'node_modules', name);
    if (!existsSync(join(root, 'package.json'))) continue;
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      bin?: string | Record<string, string>;
    };
    const file = typeof bin === 'string' ? bin : bin?.[name];
    if (file !== undefined) return join(root, file);
  }
  throw new Error(`${name} is not installed`);
}
