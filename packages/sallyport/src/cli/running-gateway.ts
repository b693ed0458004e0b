import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { type JsonObject, memberText } from '../core/json.ts';
import { findStateDir } from './config-file.ts';
import type { Terminal } from './terminal.ts';

const FILE = 'gateway.json';

/** Writes down where the gateway of this state folder listens, for commands with `--gateway`. Returns how to take it back. */
export function noteGateway(stateDir: string, origin: string): () => void {
  const file = join(stateDir, FILE);
  const text = `${JSON.stringify({ origin, pid: process.pid })}\n`;
  writeFileSync(file, text, { mode: 0o600 });
  return () => {
    // Another one that was started on this folder since then stays noted.
    if (existsSync(file) && readFileSync(file, 'utf8') === text) rmSync(file, { force: true });
  };
}

/**
 * The entry, as in a configuration, that reaches the running gateway: all servers, or the one that `word` names; a URL
 * as `word` is a gateway elsewhere. The key is $SALLYPORT_KEY, else the one of this state folder, which goes to no
 * other machine.
 * @throws FaultError `unreachable` when none runs on this state folder.
 */
export function toGatewayEntry(word: string | undefined, terminal: Terminal): JsonObject {
  const stateDir = findStateDir(terminal);
  const url = word !== undefined && /^https?:\/\//i.test(word) ? word : undefined;
  const origin = url === undefined ? findOrigin(stateDir) : undefined;
  // What the list has, however large it is.
  const path = word === undefined ? '/mcp/plain' : `/servers/${encodeURIComponent(word)}/mcp`;
  const target = url ?? `${origin}${path}`;
  const key = terminal.env['SALLYPORT_KEY'] || (isHere(target, stateDir) ? readKey(stateDir) : undefined);
  return { url: target, type: 'http', ...(key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }) };
}

function findOrigin(stateDir: string): string {
  const origin = readOrigin(stateDir);
  if (origin !== undefined) return origin;
  throw new FaultError(
    'unreachable',
    `No gateway runs on the state folder ${stateDir}. Start it with "sallyport up", or set SALLYPORT_STATE to its folder.`,
  );
}

/** Where the gateway of this state folder listens, if one said so. */
export function readOrigin(stateDir: string): string | undefined {
  const file = join(stateDir, FILE);
  if (!existsSync(file)) return undefined;
  try {
    return memberText(JSON.parse(readFileSync(file, 'utf8')), 'origin') || undefined;
  } catch {
    // Cut off while it was written: as if it were not there.
    return undefined;
  }
}

/** The key of this machine is sent to its own gateway, or to nobody. */
function isHere(url: string, stateDir: string): boolean {
  return URL.canParse(url) && new URL(url).origin === readOrigin(stateDir);
}

/** `undefined`: the gateway needs none. */
function readKey(stateDir: string): string | undefined {
  const file = join(stateDir, 'key');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
