import type { GatewaySettings } from '../config/settings.ts';
import type { Style } from './style.ts';

/** What a running gateway is reached by: the JSON value of `sallyport up --json`. */
export interface Start {
  readonly url: string;
  readonly sse: string;
  /** The file that has the key, which only its owner can read; `null`: no key is needed. */
  readonly keyFile: string | null;
  /**
   * With `--show-key`, because what is printed ends up in the journal of a service or on a shared screen; and with `--json`,
   * whose reader is the program that started this one.
   */
  readonly key?: string;
  /** Server -> its own endpoint. */
  readonly servers: Readonly<Record<string, string>>;
  readonly pid: number;
}

export interface StartFacts {
  readonly origin: string;
  readonly key: string | undefined;
  readonly keyFile: string;
  readonly isKeyShown: boolean;
  readonly servers: readonly string[];
}

export function toStart({ origin, key, keyFile, isKeyShown, servers }: StartFacts): Start {
  const paths = servers.map((name) => [name, `${origin}/servers/${encodeURIComponent(name)}/mcp`] as const);
  return {
    url: `${origin}/mcp`,
    sse: `${origin}/sse`,
    keyFile: key === undefined ? null : keyFile,
    ...(isKeyShown && key !== undefined ? { key } : {}),
    servers: Object.fromEntries(paths),
    pid: process.pid,
  };
}

/** The banner. */
export function describeStart(start: Start, auth: GatewaySettings['auth'], style: Style): string {
  const { url, sse, keyFile, key } = start;
  const names = Object.keys(start.servers);
  const headers = keyFile === null ? undefined : { Authorization: `Bearer ${key ?? '<key>'}` };
  const entry = { mcpServers: { sallyport: { type: 'http', url, ...(headers === undefined ? {} : { headers }) } } };
  const row = (heading: string, text: string): string => `  ${style.dim(heading.padEnd(8))} ${text}`;
  return [
    style.bold('Sallyport is up.'),
    '',
    row('URL', style.bold(url)),
    row('Header', keyFile === null ? describeNeed(auth) : `Authorization: Bearer ${key ?? '<key>'}`),
    ...(keyFile === null || key !== undefined ? [] : [row('Key', `in the file ${keyFile}; --show-key prints it`)]),
    row('SSE', `${sse}   (clients of the first revision)`),
    row(
      'Servers',
      names.length === 0
        ? 'none yet: sallyport server add <name> -- <command>, or sallyport import'
        : `${names.join(', ')}   (each alone: /servers/<name>/mcp)`,
    ),
    '',
    `Paste into a client that connects by URL${headers === undefined || key !== undefined ? '' : ', with the key in place of <key>'}:`,
    '',
    JSON.stringify(entry, undefined, 2),
    '',
    style.dim('Ctrl-C ends it.'),
    '',
    '',
  ].join('\n');
}

/** What a client needs that is given no key. */
function describeNeed(auth: GatewaySettings['auth']): string {
  if (auth === 'none') return 'none needed (--auth none)';
  if (auth === 'key' || auth.oauth === undefined) return 'none needed with a client certificate';
  return 'Authorization: Bearer <access token>; clients are told where to get one';
}
