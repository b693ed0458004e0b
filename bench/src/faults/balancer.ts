import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A plain balancer: bytes go to and fro, connection by connection, in turns to whoever says that it is ready. */
export interface Balancer {
  readonly port: number;
  /** The ports it chooses from. */
  use(ports: readonly number[]): void;
  /** Fulfilled once the one at this port is ready. */
  ready(port: number): Promise<void>;
  /** Connections it had nobody for. */
  readonly turnedAway: () => number;
  close(): void;
}

/** Between two looks at `/healthz`. Milliseconds. */
const PROBE_MS = 250;
/** Who takes longer is not ready. Milliseconds. */
const PATIENCE_MS = 2_000;

export async function startBalancer(): Promise<Balancer> {
  let ports: readonly number[] = [];
  let readyPorts: readonly number[] = [];
  let turnedAway = 0;
  let turn = 0;
  const sockets = new Set<Socket>();
  const waiting = new Map<number, () => void>();
  const probe = async (port: number): Promise<void> => {
    const isUp = await isReady(port);
    const others = readyPorts.filter((one) => one !== port && ports.includes(one));
    readyPorts = isUp && ports.includes(port) ? [...others, port] : others;
    if (isUp) waiting.get(port)?.();
  };
  const timer = setInterval(() => {
    for (const port of ports) void probe(port);
  }, PROBE_MS);

  const pass = (client: Socket, tries: number): void => {
    const port = readyPorts[turn++ % Math.max(readyPorts.length, 1)];
    if (port === undefined || tries === 0) {
      turnedAway++;
      client.destroy();
      return;
    }
    const server = keep(connect(port, '127.0.0.1'));
    // Nothing was sent yet: another one may have it.
    const next = () => pass(client, tries - 1);
    server.once('error', next);
    server.once('connect', () => {
      server.off('error', next);
      server.on('error', () => client.destroy());
      client.pipe(server).pipe(client);
      client.once('close', () => server.destroy());
    });
  };
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const listener = createServer((client) => {
    keep(client).on('error', () => client.destroy());
    pass(client, 3);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    // A listener on TCP has an address.
    port: (listener.address() as AddressInfo).port,
    use(next) {
      ports = next;
    },
    ready: (port) =>
      new Promise((resolve) => {
        waiting.set(port, () => {
          waiting.delete(port);
          resolve();
        });
      }),
    turnedAway: () => turnedAway,
    close() {
      clearInterval(timer);
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}
