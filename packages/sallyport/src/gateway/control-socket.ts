import { createHash, timingSafeEqual } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultError, toFault } from '../core/errors.ts';
import type { FileLock, TakeFileLock } from '../core/file-lock.ts';
import type { Principal } from '../core/principal.ts';
import { CONTROL_PREFIX, type ControlPort, serveControl } from './control-endpoint.ts';
import { Streams } from './streams.ts';

export interface ControlSocketOptions {
  readonly stateDir: string;
  readonly control: ControlPort;
  /** Whoever may open the state directory. */
  readonly principal: Principal;
  /** Shown with every request: another program of the same user can open the socket, but not read this. */
  readonly token: string;
  /** Keeps every other program from the socket. */
  readonly lock: TakeFileLock;
}

/** A lock file of thousands of definitions may come in one body. */
const BODY_BYTES = 8 * 1024 * 1024;
const MAX_CONNECTIONS = 64;
/** A request is sent at once by a program on this machine. Milliseconds. */
const REQUEST_MS = 30_000;
/** sockaddr_un holds 104 bytes on macOS, 108 on Linux. */
const MAX_PATH = 100;

/**
 * The REST API for the same user on the same machine: HTTP over a socket in the state directory. Who may read that
 * directory may do this; nobody else can, and no browser can reach it.
 * `undefined`: another Sallyport with this state directory answers already.
 * @throws FaultError `config`.
 */
export async function openControlSocket(
  options: ControlSocketOptions,
): Promise<{ close(): Promise<void> } | undefined> {
  const { stateDir } = options;
  const path = toSocketPath(stateDir);
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  // Looking, removing and listening are three steps: of two that start at once one could remove the other's socket.
  const held = options.lock(join(stateDir, 'control.lock'));
  if (held === undefined) return undefined;
  try {
    return await open(path, options, held);
  } catch (error) {
    held.release();
    throw error;
  }
}

async function open(path: string, options: ControlSocketOptions, held: FileLock): Promise<{ close(): Promise<void> }> {
  removeDead(path);
  const streams = new Streams();
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    serve({ request, response }, options, streams).catch((error: unknown) => refuse(error, response));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, path);
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  let closing: Promise<void> | undefined;
  return {
    close() {
      closing ??= new Promise<void>((resolve) => {
        streams.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }).finally(() => held.release());
      return closing;
    },
  };
}

/** Where the Sallyport of a state directory answers. */
export function toSocketPath(stateDir: string): string {
  const digest = createHash('sha256').update(stateDir).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\sallyport-${digest}`;
  const path = join(stateDir, 'control.sock');
  return Buffer.byteLength(path) <= MAX_PATH ? path : join(tmpdir(), `sallyport-${digest}.sock`);
}

/**
 * Whether what is at the control socket was put there by this user, or by the owner of the state directory: in the
 * folder for temporary files anybody may have been faster, and would be told what is meant for Sallyport.
 */
export function isTrusted(stateDir: string): boolean {
  if (process.platform === 'win32') return true;
  try {
    const { uid } = lstatSync(toSocketPath(stateDir));
    return uid === process.getuid?.() || uid === statSync(stateDir).uid;
  } catch {
    return false;
  }
}

/** Does a Sallyport run on this state directory? One that is too busy to say counts as running. */
export function isAnswered(stateDir: string): Promise<boolean> {
  if (!isTrusted(stateDir)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect(toSocketPath(stateDir));
    const end = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
    socket.setTimeout(1000, () => end(true));
  });
}

/** What a Sallyport that was killed has left. @throws FaultError `config` where it is somebody else's. */
function removeDead(path: string): void {
  if (process.platform === 'win32') return;
  try {
    rmSync(path, { force: true });
  } catch (cause) {
    throw new FaultError(
      'config',
      `The control socket ${path} cannot be made: what is there cannot be removed. Remove it, or set SALLYPORT_STATE to another directory.`,
      { cause },
    );
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new FaultError('config', `The control socket ${path} cannot be opened; check the state directory.`, { cause }),
      ),
    );
    // For its owner from the first moment: before its mode is changed others could connect. It is made before this returns.
    const mask = process.platform === 'win32' ? undefined : process.umask(0o077);
    server.listen(path, resolve);
    if (mask !== undefined) process.umask(mask);
  });
}

async function serve(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  { control, principal, token }: ControlSocketOptions,
  streams: Streams,
): Promise<void> {
  // Programs send none: what has one was sent on a web page's behalf.
  if (request.headers.origin !== undefined)
    throw new FaultError(
      'forbidden',
      'The control socket is not for web pages: the Origin header stands in the request.',
    );
  if (!isShown(token, request.headers.authorization))
    throw new FaultError(
      'unauthenticated',
      'The control socket needs the token in the file control-token of the state directory (Authorization: Bearer).',
    );
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  if (!path.startsWith(CONTROL_PREFIX)) throw new FaultError('not_found', `Only ${CONTROL_PREFIX} is served here.`);
  const around = { streams, bodyBytes: BODY_BYTES, isCurrent: () => true };
  await serveControl(control, { request, response, principal, path }, around);
}

/** Digests have one length, so that comparing them says nothing about the token. */
function isShown(token: string, header = ''): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header), digest(`Bearer ${token}`));
}

function refuse(error: unknown, response: ServerResponse): void {
  const fault = toFault(error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { http: status } = fault.failure;
  const problem = { type: `urn:sallyport:problem:${fault.code}`, title: 'Refused', status, code: fault.code };
  response.writeHead(status, { 'content-type': 'application/problem+json', connection: 'close' });
  response.end(JSON.stringify({ ...problem, detail: fault.message }));
}
