import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atTheEnd } from './at-the-end.ts';
import { newTestFolder } from './running-sallyport.ts';

const MAIN = fileURLToPath(new URL('../bin/sallyport.js', import.meta.url));

export interface ShownStep {
  readonly step: string;
  readonly outcome: string;
  readonly ms: number;
  readonly detail: string;
  readonly fix: string | null;
}

export interface Examined {
  readonly ok: boolean;
  readonly targets: readonly { readonly name: string; readonly kind: string; readonly steps: readonly ShownStep[] }[];
}

export interface DoctorRun {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  json(): Examined;
  /** The first step that failed, in all targets. */
  failed(): ShownStep;
  step(name: string): ShownStep;
}

export interface DoctorSetting {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** The built program's `doctor`, with folders of its own. */
export async function runDoctor(args: readonly string[], { env = {}, cwd = newTestFolder() }: DoctorSetting = {}) {
  const child = spawn(process.execPath, [MAIN, 'doctor', ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, SALLYPORT_STATE: join(cwd, 'state'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atTheEnd(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [exit] = (await once(child, 'close')) as [number | null];
  const json = (): Examined => JSON.parse(stdout) as Examined;
  const find = (matches: (step: ShownStep) => boolean): ShownStep => {
    const found = json()
      .targets.flatMap(({ steps }) => steps)
      .find(matches);
    if (found === undefined) throw new Error(`no such step in ${stdout}`);
    return found;
  };
  const run: DoctorRun = {
    exit,
    stdout,
    stderr,
    json,
    failed: () => find(({ outcome }) => outcome === 'failed'),
    step: (name) => find(({ step }) => step === name),
  };
  return run;
}

/** An HTTP server for the length of the file; its origin. */
export function serveHttp(listener: RequestListener): Promise<string> {
  return listen(createServer(listener), 'http');
}

export function serveHttps(
  listener: RequestListener,
  pair: { readonly cert: string; readonly key: string },
): Promise<string> {
  return listen(createSecureServer(pair, listener), 'https');
}

/** A server that has its own idea of what to say over TCP; its port. */
export async function serveSocket(take: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    socket.on('error', () => {});
    take(socket);
  });
  atTheEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return portOf(server);
}

async function listen(server: Server, scheme: 'http' | 'https'): Promise<string> {
  atTheEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${scheme}://localhost:${await portOf(server)}`;
}

async function portOf(server: SocketServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // A TCP listener's address is never a string or null.
}

/** A port at which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createSocketServer();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Always the same answer. */
export function always(status: number, headers: Record<string, string> = {}, body = ''): RequestListener {
  return (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };
}

type Message = { readonly id?: number; readonly method: string; readonly params?: unknown };
/** The result of a request; `undefined`: unknown method. */
export type Answers = Readonly<Record<string, unknown>>;

const TOOL = { name: 'hello', inputSchema: { type: 'object' } };

export const LEGACY: Answers = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'legacy', version: '1' },
  },
  'tools/list': { tools: [TOOL] },
};

export const MODERN: Answers = {
  'server/discover': {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    serverInfo: { name: 'modern', version: '1' },
    ttlMs: 0,
    cacheScope: 'private',
  },
  'tools/list': { resultType: 'complete', tools: [TOOL, { ...TOOL, name: 'bye' }], ttlMs: 0, cacheScope: 'private' },
};

function toAnswer({ id, method }: Message, answers: Answers): string {
  const result = Object.hasOwn(answers, method) ? answers[method] : undefined;
  const rest = result === undefined ? { error: { code: -32601, message: `no ${method}` } } : { result };
  return JSON.stringify({ jsonrpc: '2.0', id, ...rest });
}

/** Streamable HTTP with JSON answers at `/mcp`, nothing elsewhere. */
export function speakHttp(answers: Answers): RequestListener {
  return (request, response) => {
    if (new URL(request.url ?? '/', 'http://here').pathname !== '/mcp') return always(404)(request, response);
    if (request.method !== 'POST') return always(405)(request, response);
    void readMessage(request).then((message) => {
      if (message.id === undefined) response.writeHead(202).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(toAnswer(message, answers));
    });
  };
}

/** HTTP+SSE: a stream at `/sse`, messages to `/message`. */
export function speakSse(answers: Answers): RequestListener {
  let stream: ServerResponse | undefined;
  return (request, response) => {
    if (request.method === 'GET' && request.url === '/sse') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /message\n\n');
    } else if (request.method === 'POST' && request.url === '/message') {
      void readMessage(request).then((message) => {
        response.writeHead(202).end();
        if (message.id !== undefined) stream?.write(`event: message\ndata: ${toAnswer(message, answers)}\n\n`);
      });
    } else always(404, { 'content-type': 'text/html' }, '<pre>Cannot POST</pre>')(request, response);
  };
}

async function readMessage(request: IncomingMessage): Promise<Message> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message;
}

/** A stdio server as the code of a script; `after` runs after each answer, with its method. */
export function script(answers: Answers, { before = '', after = '' } = {}): string {
  return `
    const answers = ${JSON.stringify(answers)};
    ${before}
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const result = answers[method];
      const rest = result === undefined ? { error: { code: -32601, message: 'no ' + method } } : { result };
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...rest }) + '\\n', () => { ${after} });
    });`;
}
