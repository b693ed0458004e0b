/**
 * A process: MCP servers of the legacy era on one port. Prints `{"port":…}` once it listens. `/<name>/<tools>/mcp` is a server
 * with that many tools, which announces when they change; `POST /<name>/<tools>/change` replaces its last tool by one that was
 * never there, announces it and answers with its name.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Incoming } from './answers.ts';

const NOUNS =
  'invoice order ticket branch file channel report metric event refund product task page block query account contract shipment sensor device booking campaign survey lecture recipe patient claim asset vehicle route'.split(
    ' ',
  );
const VERBS =
  'list get create update delete search export import archive restore merge split approve cancel schedule'.split(' ');
const FIELDS =
  'owner region since until status category limit offset format language currency priority parent labels comment'.split(
    ' ',
  );
const PLACES = 'warehouse clinic school harbour library factory theatre farm studio airport'.split(' ');

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu'.split(' ');

/** Names of things that only one server knows, as products and their parts have. */
function toOwnWord(server: string, i: number): string {
  let hash = 7;
  for (const character of `${server} ${i}`) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return [0, 5, 10, 15].map((shift) => SYLLABLES[(hash >>> shift) % SYLLABLES.length]).join('');
}

/** Some 800 characters each, the mean of 17,487 real ones; like those, tools of one server speak of one matter in many ways. */
function toTool(server: string, i: number, round: number): object {
  const at = <T>(list: readonly T[], step: number): T =>
    list[(i * step + round + server.length * 7) % list.length] as T;
  const [verb, noun, place] = [at(VERBS, 1), at(NOUNS, 7), at(PLACES, 3)];
  const [own, other] = [toOwnWord(server, i >> 3), toOwnWord(server, (i * 13) >> 4)];
  const properties = Object.fromEntries(
    [1, 2, 4, 7].map((step) => {
      const field = at(FIELDS, step + 1);
      return [
        `${noun}_${field}`,
        {
          type: step === 2 ? 'integer' : 'string',
          description: `The ${field} of the ${own} ${noun}, as ${server} writes it for ${other}. Left out: any ${field}.`,
        },
      ];
    }),
  );
  return {
    name: i === 0 ? 'echo' : `${verb}_${own}_${noun}_${i}${round === 0 ? '' : `_${round}`}`,
    title: `${verb} ${own} ${noun}`,
    description: `Number ${i} of ${server}${round === 0 ? '' : `, edition ${round}`}: ${verb} the ${own} ${noun} of a ${place}. It takes the ${noun} of the ${other} by its ${at(FIELDS, 5)} and answers with ${at(FIELDS, 11)}, ${at(FIELDS, 13)} and the ${at(NOUNS, 11)} that belongs to it.`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' }, ...properties } },
  };
}

interface Served {
  readonly tools: object[];
  round: number;
  readonly streams: Set<ServerResponse>;
}

const served = new Map<string, Served>();

function find(name: string, count: number): Served {
  let found = served.get(name);
  if (found === undefined) {
    const tools = Array.from({ length: count }, (_, i) => toTool(name, i, 0));
    found = { tools, round: 0, streams: new Set() };
    served.set(name, found);
  }
  return found;
}

function resultOf({ method, params }: Incoming, name: string, { tools }: Served): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name, version: '1.0.0' },
      };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: String(params?.arguments?.text) }] };
    default:
      return undefined;
  }
}

function change(name: string, { tools, streams, ...rest }: Served): string {
  const round = rest.round + 1;
  const tool = toTool(name, tools.length - 1, round) as { readonly name: string };
  tools[tools.length - 1] = tool;
  const changed = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  for (const stream of streams) stream.write(`data: ${changed}\n\n`);
  served.set(name, { tools, streams, round });
  return tool.name;
}

function answer(message: Incoming, name: string, server: Served, response: ServerResponse): void {
  if (message.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const result = resultOf(message, name, server);
  const error = { code: -32601, message: 'Method not found' };
  const session = message.method === 'initialize' ? { 'mcp-session-id': name } : {};
  response.writeHead(200, { 'content-type': 'application/json', ...session });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) }));
}

const server = createServer((request: IncomingMessage, response) => {
  const [, name = '', count = '0', what = ''] = (request.url ?? '').split('/');
  const found = find(name, Number(count));
  if (what === 'change') {
    response.end(JSON.stringify({ name: change(name, found) }));
    return;
  }
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    found.streams.add(response);
    response.on('close', () => found.streams.delete(response));
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    body += piece;
  });
  request.on('end', () => {
    if (request.method === 'POST') answer(JSON.parse(body) as Incoming, name, found, response);
    else response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
// The bench holds our stdin: when it is gone, however it went, so are we.
process.stdin.resume().on('end', () => process.exit(0));
