import { parseArgs } from 'node:util';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Authenticate, assertHostIsSafe, authenticateByKeys, KEYS } from './callers.ts';
import { serveHttp } from './http.ts';
import type { KitServer } from './server.ts';
import { TaskStreamTransport } from './tasks/task-streams.ts';

export type TransportName = 'stdio' | 'http' | 'sse';

/** What the command line leaves open. */
export interface ServeOptions {
  readonly transport?: TransportName;
  readonly host?: string;
  readonly port?: number;
  readonly allowedHosts?: readonly string[];
  /**
   * Who sends a request over HTTP. Unless given, callers have the keys in the environment variable KIT_KEYS (`name=key`,
   * separated by commas). Without both, anybody on this machine may call, and the server listens at loopback only.
   */
  readonly authenticate?: Authenticate;
  /** The command line; that of this process unless given. */
  readonly args?: readonly string[];
}

export interface Serving {
  /** Where it is; `undefined` on stdio. */
  readonly url: string | undefined;
  close(): Promise<void>;
}

const PORT = 3000;
const USAGE = `Options:
  -t, --transport stdio|http|sse  (default stdio)
      --host HOST                 address to listen on (default 127.0.0.1)
      --port PORT                 0 for any free one (default ${PORT})
      --allowed-host NAME         a host name clients may use, beside those of this machine; repeatable
  -h, --help
Environment:
  ${KEYS}  name=key of each caller over HTTP, separated by commas; needed for a host that is not loopback
`;

/** Serves until SIGINT or SIGTERM, or until the client closes stdin. Ends the process with 2 for a wrong command line, with 1 for a port that cannot be used. */
export async function serve(kit: KitServer, options: ServeOptions): Promise<Serving> {
  const chosen = toChoice(kit, options);
  keepStdoutClean();
  const serving = chosen.transport === 'stdio' ? serveOnStdio(kit) : await listen(kit, chosen).catch(endWith);
  // Takes up what an earlier process left.
  kit.tasks?.();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= serving.close().then(() => kit.close());
    return closing;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void close().then(() => process.exit(signal === 'SIGINT' ? 130 : 143)));
  return { url: serving.url, close };
}

interface Choice {
  readonly transport: TransportName;
  readonly host: string;
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly authenticate: Authenticate | undefined;
}

function toChoice(kit: KitServer, options: ServeOptions): Choice {
  const end = (code: number, text: string): never => {
    (code === 0 ? process.stdout : process.stderr).write(text);
    process.exit(code);
  };
  try {
    const { values } = parseArgs({
      args: [...(options.args ?? process.argv.slice(2))],
      options: {
        transport: { type: 'string', short: 't' },
        host: { type: 'string' },
        port: { type: 'string' },
        'allowed-host': { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) end(0, `${kit.definition.name} ${kit.definition.version}\n\n${USAGE}`);
    const transport = values.transport ?? options.transport ?? 'stdio';
    if (transport !== 'stdio' && transport !== 'http' && transport !== 'sse')
      throw new Error(`--transport is stdio, http or sse, not "${transport}".`);
    const port = values.port === undefined ? (options.port ?? PORT) : Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new Error(`--port is a number from 0 to 65535, not "${values.port}".`);
    const host = values.host ?? options.host ?? '127.0.0.1';
    const keys = process.env[KEYS];
    const authenticate = options.authenticate ?? (keys === undefined ? undefined : authenticateByKeys(keys));
    if (transport !== 'stdio') assertHostIsSafe(host, authenticate);
    const allowedHosts = values['allowed-host'] ?? options.allowedHosts ?? [];
    return { transport, port, host, allowedHosts, authenticate };
  } catch (error) {
    return end(2, `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

/** A port that is taken is no fault whose stack somebody needs. */
function endWith(error: Error): never {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/** On stdio, whatever else is printed there would end the connection; elsewhere a script may read the address. */
function keepStdoutClean(): void {
  console.log = console.error;
  console.info = console.error;
  console.debug = console.error;
  // A client that stops reading the log has not stopped using the server.
  process.stderr.on('error', () => {});
}

/** Passes on what it is given, in either of its forms. */
type Write = (...given: Parameters<typeof process.stdout.write>) => boolean;

function serveOnStdio(kit: KitServer): Serving {
  const plain = new StdioServerTransport();
  const send = plain.send.bind(plain);
  const write: Write = process.stdout.write.bind(process.stdout);
  const writeAside: Write = process.stderr.write.bind(process.stderr);
  let isSending = false;
  // What a library prints there would end the connection. The transport writes before `send` returns.
  process.stdout.write = ((...given) =>
    (isSending ? write : writeAside)(...given)) as Write as typeof process.stdout.write;
  plain.send = (message) => {
    isSending = true;
    try {
      return send(message);
    } finally {
      isSending = false;
    }
  };
  const transport = kit.tasks === undefined ? plain : new TaskStreamTransport(plain, kit.tasks);
  const { close } = serveStdio(() => kit.create(), { transport: transport as StdioServerTransport });
  process.stdin.once('end', () => void close().then(() => kit.close()));
  return { url: undefined, close };
}

async function listen(kit: KitServer, { transport, ...choice }: Choice): Promise<Serving> {
  const serving = await serveHttp(kit, { ...choice, hasSse: transport === 'sse' });
  process.stderr.write(`${kit.definition.name} listens at ${serving.url}\n`);
  return serving;
}
