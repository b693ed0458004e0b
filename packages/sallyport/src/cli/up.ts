import type { GatewaySettings } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
import { type Command, type Input, isSet, textOption } from './command.ts';
import { type GatewayOverrides, SERVE_OPTIONS, serve, untilInterrupted } from './serve.ts';
import { write } from './terminal.ts';

export const up: Command = {
  name: 'up',
  summary: 'run the gateway: one endpoint in front of all servers of the configuration',
  options: [
    { flags: '--host <address>', meaning: 'listen here instead of gateway.host (default 127.0.0.1)' },
    { flags: '--port <port>', meaning: 'listen here instead of gateway.port; 0 lets the system choose' },
    { flags: '--auth <mode>', meaning: 'key (default), or none: on loopback, whoever reaches the port may call' },
    ...SERVE_OPTIONS,
  ],
  example: 'sallyport up --config sallyport.json --port 7411',
  async run(input) {
    const { terminal } = input;
    const { app, close } = await serve(input, toOverrides(input));
    try {
      const { origin, key } = await app.openHttp();
      await app.openControlSocket();
      app.warm();
      const facts = describe(origin, key, [...app.snapshot().servers.keys()]);
      const need = describeNeed(app.snapshot().gateway.auth);
      await write(terminal.stdout, isSet(input.options, 'json') ? `${JSON.stringify(facts)}\n` : toText(facts, need));
      await untilInterrupted(input);
      await write(terminal.stderr, 'Ending: calls in flight may finish. Ctrl-C again ends at once.\n');
    } finally {
      await close();
    }
    return undefined;
  },
};

function toOverrides({ options }: Input): GatewayOverrides {
  const host = textOption(options, 'host');
  const port = textOption(options, 'port');
  const auth = textOption(options, 'auth');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new FaultError('usage', '--port is a number from 0 to 65535.');
  if (auth !== undefined && auth !== 'key' && auth !== 'none') throw new FaultError('usage', '--auth is key or none.');
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(auth === undefined ? {} : { auth }),
  };
}

interface Facts {
  readonly url: string;
  readonly sse: string;
  readonly key: string | null;
  readonly servers: Readonly<Record<string, string>>;
  readonly pid: number;
}

function describe(origin: string, key: string | undefined, servers: readonly string[]): Facts {
  const paths = servers.map((name) => [name, `${origin}/servers/${encodeURIComponent(name)}/mcp`] as const);
  return {
    url: `${origin}/mcp`,
    sse: `${origin}/sse`,
    key: key ?? null,
    servers: Object.fromEntries(paths),
    pid: process.pid,
  };
}

/** What a client needs that is given no key. */
function describeNeed(auth: GatewaySettings['auth']): string {
  if (auth === 'none') return 'none needed (--auth none)';
  if (auth === 'key' || auth.oauth === undefined) return 'none needed with a client certificate';
  return 'Authorization: Bearer <access token>; clients are told where to get one';
}

function toText({ url, sse, key, servers }: Facts, need: string): string {
  const headers = key === null ? undefined : { Authorization: `Bearer ${key}` };
  const entry = { mcpServers: { sallyport: { type: 'http', url, ...(headers === undefined ? {} : { headers }) } } };
  const names = Object.keys(servers);
  return [
    'Sallyport is up.',
    '',
    `  URL      ${url}`,
    ...(key === null ? [`  Header   ${need}`] : [`  Header   Authorization: Bearer ${key}`]),
    `  SSE      ${sse}   (clients of the first revision)`,
    `  Servers  ${names.length === 0 ? 'none yet: sallyport server add <name> -- <command>' : names.join(', ')}   (each alone: /servers/<name>/mcp)`,
    '',
    'Paste into a client that connects by URL:',
    '',
    JSON.stringify(entry, undefined, 2),
    '',
    'Ctrl-C ends it.',
    '',
  ].join('\n');
}
