import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NODE_24, type PublishedServer } from './servers.ts';

const run = promisify(execFile);

/** One `mcpServers` entry. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Installed {
  readonly server: PublishedServer;
  /** Undefined: it could not be installed, for `reason`. */
  readonly entry: ServerEntry | undefined;
  readonly reason?: string;
}

export interface InstallOptions {
  /** Packages are installed here, each in a folder of its own: their dependencies conflict. */
  readonly cache: string;
  /** Values of `{files}`, `{state}` … in arguments and environment. */
  readonly places: Readonly<Record<string, string>>;
  progress(line: string): void;
}

/** Installs what is not in the cache yet, two at a time. */
export async function installServers(
  servers: readonly PublishedServer[],
  options: InstallOptions,
): Promise<readonly Installed[]> {
  const node24 = servers.some(({ needsNode24 }) => needsNode24 === true)
    ? await attempt(() => installPackage(NODE_24, options))
    : undefined;
  const results: Installed[] = [];
  const queue = [...servers.entries()];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, server] = next;
      results[at] = await installServer(server, node24, options);
    }
  };
  await Promise.all([work(), work()]);
  return results;
}

async function installServer(
  server: PublishedServer,
  node24: Attempt | undefined,
  options: InstallOptions,
): Promise<Installed> {
  if (server.needsNode24 === true && node24?.folder === undefined)
    return { server, entry: undefined, reason: `it needs a newer Node, and ${node24?.reason ?? 'there is none'}` };
  const { folder, reason } = await attempt(() => installPackage(server, options));
  if (folder === undefined) return { server, entry: undefined, reason: reason ?? 'it could not be installed' };
  const command =
    server.needsNode24 === true && node24?.folder !== undefined ? join(node24.folder, 'bin/node') : process.execPath;
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (all, name: string) => options.places[name] ?? all);
  const entry: ServerEntry = {
    command,
    args: [programOf(folder, server.bin), ...(server.args ?? []).map(fill)],
    ...(server.env === undefined
      ? {}
      : { env: Object.fromEntries(Object.entries(server.env).map(([name, value]) => [name, fill(value)])) }),
  };
  return { server, entry };
}

interface Attempt {
  readonly folder: string | undefined;
  readonly reason?: string;
}

async function attempt(install: () => Promise<string>): Promise<Attempt> {
  try {
    return { folder: await install() };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return {
      folder: undefined,
      reason: text.split('\n').find((line) => line.includes('npm error')) ?? text.slice(0, 200),
    };
  }
}

/** Returns the folder of the package. Scripts of packages are not run, browsers not downloaded. */
export async function installPackage(
  wanted: { readonly package: string; readonly version: string },
  { cache, progress }: InstallOptions,
): Promise<string> {
  const folder = join(cache, `${wanted.package.replace('@', '').replace('/', '-')}-${wanted.version}`);
  const done = join(folder, '.installed');
  const place = join(folder, 'node_modules', wanted.package);
  if (existsSync(done)) return place;
  progress(`installing ${wanted.package}@${wanted.version}`);
  mkdirSync(folder, { recursive: true });
  // Without it npm looks for a workspace above.
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const flags = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--omit=dev',
    '--prefer-offline',
    '--no-save',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
  ];
  await run('npm', ['install', `${wanted.package}@${wanted.version}`, ...flags, '--prefix', folder], {
    cwd: folder,
    timeout: 300_000,
    maxBuffer: 16 * 1024 * 1024,
    env: { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
  });
  writeFileSync(done, '');
  return place;
}

function programOf(folder: string, name: string | undefined): string {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin?: string | Record<string, string>;
  };
  const script = typeof bin === 'string' ? bin : name === undefined ? Object.values(bin ?? {})[0] : bin?.[name];
  if (script === undefined) throw new Error(`${folder} has no program ${name ?? ''}`);
  return join(folder, script);
}
