import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAILURES, type FailureCode, FaultError, toFault } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';

/**
 * How a command line reaches the Sallyport that runs on the same machine for the same user: one JSON line there, one
 * back, over a socket in the state directory. Whoever may open that directory may do this; nobody else can.
 */
export interface ControlVerbs {
  /** State by server name. */
  status(): JsonObject;
  /** @throws FaultError `not_found`. */
  restart(server: string): Promise<void>;
  /** What the policies decided lately, the newest first; of one call where it is named. */
  decisions(callId: string | undefined): readonly JsonObject[];
}

export type ControlRequest =
  | { readonly verb: 'status' }
  | { readonly verb: 'restart'; readonly server: string }
  | { readonly verb: 'decisions'; readonly callId?: string };

const MAX_LINE = 4 * 1024 * 1024;
/** A restart waits for the old child to end. */
const PATIENCE_MS = 60_000;
/** sockaddr_un holds 104 bytes on macOS, 108 on Linux. */
const MAX_PATH = 100;

/** Answers command lines until closed. `undefined`: another Sallyport with this state directory answers already. */
export async function openControlSocket(
  stateDir: string,
  verbs: ControlVerbs,
): Promise<{ close(): Promise<void> } | undefined> {
  const path = socketPath(stateDir);
  if (await isAnswered(path)) return undefined;
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32') rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    serve(socket, verbs);
  });
  server.maxConnections = 64;
  await listen(server, path);
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/**
 * Asks the running Sallyport; `undefined`: none is running.
 * @throws FaultError that it answered with; `timeout`.
 */
export async function askRunning(stateDir: string, request: ControlRequest): Promise<JsonObject | undefined> {
  const socket = connect(socketPath(stateDir));
  try {
    const line = await readLine(socket, () => socket.write(`${JSON.stringify(request)}\n`));
    if (line === undefined) return undefined;
    const answer: unknown = JSON.parse(line);
    const error = member(answer, 'error');
    if (isObject(error)) throw new FaultError(toCode(member(error, 'code')), String(member(error, 'message')));
    return isObject(answer) ? answer : undefined;
  } finally {
    socket.destroy();
  }
}

function toCode(code: Json | undefined): FailureCode {
  return typeof code === 'string' && Object.hasOwn(FAILURES, code) ? (code as FailureCode) : 'internal'; // own key of the table
}

function socketPath(stateDir: string): string {
  const digest = createHash('sha256').update(stateDir).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\sallyport-${digest}`;
  const path = join(stateDir, 'control.sock');
  return Buffer.byteLength(path) <= MAX_PATH ? path : join(tmpdir(), `sallyport-${digest}.sock`);
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
    socket.setTimeout(1000, () => end(true));
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new FaultError('config', `The control socket ${path} cannot be opened; check the state directory.`, {
          cause: error,
        }),
      ),
    );
    server.listen(path, resolve);
  });
}

function serve(socket: Socket, verbs: ControlVerbs): void {
  // The other side may go away at any moment; that is its own business.
  socket.on('error', () => socket.destroy());
  readLine(socket, () => undefined)
    .then(async (line) => (line === undefined ? undefined : answer(line, verbs)))
    .catch((error: unknown) => {
      const { code, message } = toFault(error);
      return { error: { code, message } };
    })
    .then((reply) => socket.end(reply === undefined ? '' : `${JSON.stringify(reply)}\n`));
}

async function answer(line: string, verbs: ControlVerbs): Promise<JsonObject> {
  const request: unknown = JSON.parse(line);
  const server = member(request, 'server');
  switch (member(request, 'verb')) {
    case 'status':
      return { servers: verbs.status() };
    case 'restart':
      if (typeof server !== 'string') throw new FaultError('usage', 'restart needs a server.');
      await verbs.restart(server);
      return { status: member(verbs.status(), server) ?? null };
    case 'decisions': {
      const callId = member(request, 'callId');
      return { decisions: verbs.decisions(typeof callId === 'string' ? callId : undefined) };
    }
    default:
      throw new FaultError('usage', 'The running Sallyport does not know this verb; both must be of the same version.');
  }
}

/** The first line; `undefined` when the connection fails or ends before one. */
function readLine(socket: Socket, onConnect: () => void): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(PATIENCE_MS, () => {
      reject(new FaultError('timeout', 'The running Sallyport does not answer.'));
      socket.destroy();
    });
    socket.once('connect', onConnect);
    socket.once('error', () => resolve(undefined));
    socket.once('close', () => resolve(undefined));
    socket.once('end', () => resolve(undefined));
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > MAX_LINE) socket.destroy();
    });
  });
}
