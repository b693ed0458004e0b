import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ServerEntry } from './install-servers.ts';

/** A JSON-RPC answer as it arrived, without reading it further. */
export interface RpcAnswer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A plain client of the revision most clients speak: it announces no capabilities and drops no field. */
export interface McpClient {
  request(method: string, params?: Record<string, unknown>): Promise<RpcAnswer>;
  close(): Promise<void>;
}

const REVISION = '2025-06-18';
const HELLO = {
  protocolVersion: REVISION,
  capabilities: {},
  clientInfo: { name: 'honest-bench', version: '1.0.0' },
};
const CALL_MS = 60_000;
const READY_MS = 45_000;

/** A session of its own at a Streamable HTTP endpoint. */
export async function openHttpClient(url: string, key: string): Promise<McpClient> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
  };
  let id = 0;
  const post = async (message: object): Promise<RpcAnswer | undefined> => {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: AbortSignal.timeout(CALL_MS),
    });
    const session = response.headers.get('mcp-session-id');
    if (session !== null) headers['mcp-session-id'] = session;
    const text = await response.text();
    return text === '' ? undefined : readAnswer(text, response.headers.get('content-type') ?? '');
  };
  const client: McpClient = {
    async request(method, params = {}) {
      id += 1;
      return (await post({ id, method, params })) ?? { error: { code: 0, message: 'no answer' } };
    },
    async close() {
      await fetch(url, { method: 'DELETE', headers, signal: AbortSignal.timeout(CALL_MS) }).catch(() => {});
    },
  };
  await client.request('initialize', HELLO);
  headers['mcp-protocol-version'] = REVISION;
  await post({ method: 'notifications/initialized' });
  return client;
}

/** The answer in a body of JSON, or the last one in a stream of events. */
function readAnswer(text: string, type: string): RpcAnswer | undefined {
  if (!type.includes('text/event-stream')) return JSON.parse(text) as RpcAnswer;
  const events = text.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n'),
  );
  const messages = events.filter((data) => data !== '').map((data) => JSON.parse(data) as RpcAnswer);
  return messages.findLast((message) => message.result !== undefined || message.error !== undefined);
}

/** The server itself, without Sallyport. Rejects when it does not start. */
export async function openStdioClient({ command, args, env }: ServerEntry, cwd: string): Promise<McpClient> {
  const child = spawn(command, [...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Some servers write logs where they stand.
    cwd,
    detached: true,
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-2_000);
  });
  const waiting = new Map<number, (answer: RpcAnswer) => void>();
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`it ended with ${signal ?? code}: ${lastLine(words)}`)));
  });
  ended.catch(() => {});
  child.stdin.on('error', () => {});
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parseLine(line);
    if (message === undefined) return;
    if (typeof message.method === 'string' && message.id !== undefined)
      send({ id: message.id, error: { code: -32_601, message: 'not supported' } });
    else if (typeof message.id === 'number') waiting.get(message.id)?.(message as RpcAnswer);
  });
  let id = 0;
  const request = (method: string, params: Record<string, unknown> = {}, ms = CALL_MS) => {
    id += 1;
    const mine = id;
    const answered = new Promise<RpcAnswer>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${method} within ${ms / 1000} s`)), ms);
      waiting.set(mine, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      ended.catch(() => clearTimeout(timer));
    });
    send({ id: mine, method, params });
    return Promise.race([answered, ended]).finally(() => waiting.delete(mine));
  };
  const close = () => endGroup(child);
  try {
    await request('initialize', HELLO, READY_MS);
    send({ method: 'notifications/initialized' });
  } catch (error) {
    await close();
    throw error;
  }
  return { request: (method, params) => request(method, params), close };
}

/** All pages of a list. */
export async function listAll(client: McpClient, method: string, member: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  do {
    const { result, error } = await client.request(method, cursor === undefined ? {} : { cursor });
    if (result === undefined) throw new Error(error?.message ?? 'no answer');
    items.push(...((result[member] as Record<string, unknown>[] | undefined) ?? []));
    cursor = result['nextCursor'] as string | undefined;
  } while (cursor !== undefined);
  return items;
}

interface Line extends RpcAnswer {
  readonly id?: unknown;
  readonly method?: unknown;
}

function parseLine(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
}

/** Ends the server and what it started, which stand in a process group of their own. */
async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const exited = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  child.stdin?.end();
  const timer = setTimeout(() => signalGroup(pid), 300);
  await exited;
  clearTimeout(timer);
  signalGroup(pid);
}

function signalGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
