import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { isOffline } from '../upstream/is-offline.ts';
import { EXIT, type Finding, type Step } from './doctor-steps.ts';
import { inspectTls } from './doctor-tls.ts';
import { codeOf } from './error-code.ts';

/** Addresses tried: a host with more is not better reached by waiting for all of them. */
const MAX_ADDRESSES = 4;

/** From the name in a URL to a connection that can carry HTTP, step by step. */
export function toNetworkSteps(url: URL, env: Environment, waitMs: number): readonly Step[] {
  const host = hostOf(url);
  const port = portOf(url);
  let addresses: readonly string[] = [];
  const common = { exit: EXIT.unreachable, deadlineMs: waitMs };
  return [
    {
      ...common,
      name: 'dns',
      late: (seconds) => ({
        detail: `The name server gave no answer for ${host} within ${seconds}.`,
        fix: 'Check the network, VPN and name servers of this machine (/etc/resolv.conf).',
      }),
      async run() {
        const found = await resolveHost(host);
        addresses = found.addresses;
        return found.finding;
      },
    },
    {
      ...common,
      name: 'tcp',
      late: (seconds) => ({
        detail: `Nothing at ${host}:${port} took the connection within ${seconds}: packets are dropped on the way.`,
        fix: `Check that the host is up, the port is right, and no firewall or VPN is in between.${aboutProxy(env)}`,
      }),
      run: (signal) => connectTcp({ addresses, port, env, signal }),
    },
    {
      ...common,
      name: 'tls',
      late: (seconds) => ({
        detail: `The port took the connection and did not answer the TLS greeting within ${seconds}.`,
        fix: 'Check that TLS is spoken on this port; write http:// if it is not.',
      }),
      run: (signal) =>
        url.protocol === 'https:'
          ? inspectTls({ host, port, signal })
          : { outcome: 'skipped', detail: 'not used by http://' },
    },
  ];
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

interface Resolved {
  readonly addresses: readonly string[];
  readonly finding: Finding;
}

async function resolveHost(host: string): Promise<Resolved> {
  if (isIP(host) > 0) {
    return { addresses: [host], finding: { outcome: 'skipped', detail: `${host} is an address` } };
  }
  try {
    const found = await lookup(host, { all: true });
    const addresses = found.map(({ address }) => address);
    const more = addresses.length > MAX_ADDRESSES ? ` and ${addresses.length - MAX_ADDRESSES} more` : '';
    return {
      addresses,
      finding: { outcome: 'ok', detail: `${host} is ${addresses.slice(0, MAX_ADDRESSES).join(', ')}${more}` },
    };
  } catch (error) {
    return { addresses: [], finding: explainLookup(host, codeOf(error)) };
  }
}

function explainLookup(host: string, code: string): Finding {
  if (code === 'EAI_AGAIN' || isOffline()) {
    return {
      outcome: 'failed',
      detail: `This machine seems to be offline: no name server answered the question for ${host} (${code}).`,
      fix: 'Check the network, VPN and name servers of this machine, and try again.',
    };
  }
  return {
    outcome: 'failed',
    detail: `The host name ${host} is not known (${code}).`,
    fix: 'Correct the host in the URL; for a name of a private network, connect to that network or its VPN first.',
  };
}

interface TcpTry {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

async function connectTcp({ addresses, port, env, signal }: TcpTry): Promise<Finding> {
  const refused: { readonly address: string; readonly code: string }[] = [];
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    const code = await tryConnect(address, port, signal);
    if (code === undefined) {
      const others = refused.map((each) => `; not at ${each.address} (${each.code})`).join('');
      return { outcome: 'ok', detail: `connected to ${address} port ${port}${others}` };
    }
    refused.push({ address, code });
  }
  const places = refused.map(({ address, code }) => `${address} (${code})`).join(', ');
  const code = refused[0]?.code ?? '';
  const [cause, fix] = TCP_CAUSES.get(code) ?? ['the connection failed', 'Check host, port and network.'];
  return {
    outcome: 'failed',
    detail: `Port ${port} cannot be reached, ${cause}: ${places}.`,
    fix: `${fix}${code === 'ECONNREFUSED' ? '' : aboutProxy(env)}`,
  };
}

const TCP_CAUSES: ReadonlyMap<string, readonly [cause: string, fix: string]> = new Map([
  [
    'ECONNREFUSED',
    [
      'nothing listens there',
      'Start the server, or correct host and port in the URL. In a container, "localhost" is the container itself.',
    ],
  ],
  ['EHOSTUNREACH', ['there is no route to the host', 'Check the network or VPN, and the address of the host.']],
  ['ENETUNREACH', ['this machine has no route there', 'Check the network or VPN of this machine.']],
  ['ETIMEDOUT', ['no reply came', 'Check that the host is up and no firewall is in between.']],
  ['ECONNRESET', ['the connection was reset at once', 'Check what is between: firewall, proxy, load balancer.']],
  ['EACCES', ['this machine forbids the connection', 'Check the firewall or sandbox of this machine.']],
  ['EPERM', ['this machine forbids the connection', 'Check the firewall or sandbox of this machine.']],
]);

/** Sallyport connects directly; who is used to a proxy looks for the cause there. */
function aboutProxy(env: Environment): string {
  const name = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((each) => (env[each] ?? '') !== '');
  return name === undefined ? '' : ` ${name} is set, but Sallyport connects directly and does not use it.`;
}

/** The code of the failure; `undefined`: connected. */
function tryConnect(host: string, port: number, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (code: string | undefined): void => {
      signal.removeEventListener('abort', late);
      socket.destroy();
      resolve(code);
    };
    const late = (): void => end('ETIMEDOUT');
    signal.addEventListener('abort', late, { once: true });
    socket.once('connect', () => end(undefined));
    socket.on('error', (error) => end(codeOf(error)));
  });
}
