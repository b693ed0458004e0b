import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startNode } from '../process/child.ts';
import { SALLYPORT, writeConfig } from '../programs/sallyport.ts';

const run = promisify(execFile);

/** A running `sallyport up` with a configuration and a state folder of its own. */
export interface Gateway {
  readonly url: string;
  readonly key: string;
  /** A request of the REST API, as its operator. */
  api<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
  stop(): Promise<void>;
}

export async function startGateway(folder: string, config: object): Promise<Gateway> {
  mkdirSync(folder, { recursive: true });
  const file = writeConfig(folder, config);
  const env = { SALLYPORT_STATE: join(folder, 'state'), SALLYPORT_CONFIG: file };
  const child = startNode({
    args: [SALLYPORT, 'up', '--port', '0', '--json', '--no-call-log'],
    env,
    cwd: folder,
    readyMs: 60_000,
  });
  let line: string;
  try {
    line = await child.stdoutLine;
  } catch (error) {
    throw new Error(`sallyport up: ${error instanceof Error ? error.message : ''} ${child.lastWords()}`);
  }
  const { url, keyFile } = JSON.parse(line) as { url: string; keyFile: string };
  const key = readFileSync(keyFile, 'utf8').trim();
  return {
    url,
    key,
    api: <T>(method: string, path: string, body?: object) =>
      askApi<T>(new URL(`/api/v1${path}`, url), { method, key, body }),
    stop: () => child.stop(10_000),
  };
}

interface Asked {
  readonly method: string;
  readonly key: string;
  readonly body: object | undefined;
}

async function askApi<T>(url: URL, { method, key, body }: Asked): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers, ...sent, signal: AbortSignal.timeout(60_000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url.pathname}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

/** All pages of a list of the API. */
export async function listOf<T>(gateway: Gateway, path: string): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: '1000', ...(cursor === undefined ? {} : { cursor }) });
    const page = await gateway.api<{ items: readonly T[]; next?: string | null }>('GET', `${path}?${query}`);
    items.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return items;
}

/** Exit code 1 with a value on stdout is an answer: what it says is not as it should be. */
export async function runSallyport(words: readonly string[], env: Readonly<Record<string, string>>): Promise<unknown> {
  const options = { env: { ...process.env, ...env }, maxBuffer: 256 * 1024 * 1024, timeout: 480_000 };
  const { stdout } = await run(process.execPath, [SALLYPORT, ...words, '--json'], options).catch((error: unknown) => {
    if (typeof error === 'object' && error !== null && 'stdout' in error && String(error.stdout).startsWith('{'))
      return { stdout: String(error.stdout) };
    throw error;
  });
  return JSON.parse(stdout);
}
