import { createServer } from 'node:net';
import type { GatewaySettings } from '../config/settings.ts';
import { askHttp } from './doctor-ask.ts';
import type { Finding } from './doctor-steps.ts';
import { codeOf } from './error-code.ts';
import { findPortOwner, type PortOwner } from './port-owner.ts';

export interface PortQuestion {
  readonly gateway: GatewaySettings;
  /** Of the state directory of this command line; `undefined`: none was made yet. */
  readonly key: string | undefined;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

const UNRECORDED = 'unrecorded\n';
/** What a Sallyport that serves says at /healthz. */
const HEALTH: ReadonlySet<string> = new Set(['ok\n', UNRECORDED]);

/** Whether the gateway could listen, and if not, who does: our own one, reachable with our key, or somebody else. */
export async function checkPort(question: PortQuestion): Promise<Finding> {
  const { host, port } = question.gateway;
  if (port === 0) return { outcome: 'skipped', detail: 'the system chooses one at the start (gateway.port is 0)' };
  const code = await tryListen(host, port);
  switch (code) {
    case undefined:
      return { outcome: 'ok', detail: `${host}:${port} is free: no Sallyport runs there` };
    case 'EADDRINUSE':
      return examineTaken(question);
    case 'EACCES':
      return {
        outcome: 'failed',
        detail: `This user may not listen on port ${port} (${code}).`,
        fix: 'Set gateway.port to a number above 1023.',
      };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return {
        outcome: 'failed',
        detail: `${host} is no address of this machine (${code}).`,
        fix: 'Set gateway.host to 127.0.0.1, or to an address this machine has.',
      };
    default:
      return {
        outcome: 'failed',
        detail: `Listening on ${host}:${port} fails (${code}).`,
        fix: 'Correct gateway.host and gateway.port.',
      };
  }
}

/** Listens for a moment; the code of the failure. */
function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(codeOf(error)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

async function examineTaken({ gateway, key, waitMs, signal }: PortQuestion): Promise<Finding> {
  const { host, port } = gateway;
  const owner = findPortOwner(port);
  const who = owner === undefined ? 'another program' : `process ${owner.pid} (${owner.command})`;
  const origin = new URL(`http://${toReachable(host)}:${port}/`);
  const ask = (path: string, headers: Record<string, string>) =>
    askHttp(new URL(path, origin), { method: 'GET', headers, waitMs: waitMs / 3, signal }).catch(() => undefined);
  const health = await ask('/healthz', {});
  const locked = await ask('/', {});
  const isOurs =
    HEALTH.has(health?.body ?? '') && (isSallyport(locked?.headers['www-authenticate']) || locked?.status === 404);
  if (!isOurs) {
    return {
      outcome: 'failed',
      detail: `${host}:${port} is taken by ${who}, which is no Sallyport.`,
      fix: `End that program${owner === undefined ? ` ("lsof -i :${port}" names it)` : ''}, or set gateway.port to another number (0: the system chooses).`,
    };
  }
  if (health?.body === UNRECORDED)
    return {
      outcome: 'failed',
      detail: `Sallyport runs there as ${who} and refuses every call: its audit cannot be written.`,
      fix: 'Its log names the cause. A full disk: make room. Else "sallyport audit verify" says more (docs/audit.md).',
    };
  if (locked?.status !== 401)
    return { outcome: 'ok', detail: `Sallyport runs there as ${who}, without a key (auth is none)` };
  if (!mayTrust(owner)) {
    return {
      outcome: 'warning',
      detail: `Something that looks like Sallyport runs there as ${who}; the key was not tried, because it does not run as this user.`,
    };
  }
  if (key === undefined) return foreignKey(who);
  const opened = await ask('/', { authorization: `Bearer ${key}` });
  if (opened === undefined || opened.status === 401) return foreignKey(who);
  return { outcome: 'ok', detail: `Sallyport runs there as ${who} and accepts the key` };
}

function foreignKey(who: string): Finding {
  return {
    outcome: 'failed',
    detail: `A Sallyport runs there as ${who} and does not accept the key of this state directory.`,
    fix: 'It runs with another state directory (SALLYPORT_STATE) or was started before the key was made anew: use that directory, or start it again.',
  };
}

function isSallyport(challenge: string | undefined): boolean {
  return challenge?.includes('realm="sallyport"') === true;
}

/** The key is shown only to a process of this user: a port that Sallyport left may have been taken by anybody. */
function mayTrust(owner: PortOwner | undefined): boolean {
  return owner !== undefined && owner.uid === process.getuid?.();
}

/** An address that listens everywhere is not one to connect to. */
function toReachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
