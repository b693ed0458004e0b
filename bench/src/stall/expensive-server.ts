/**
 * A process: an MCP server whose messages of every kind hold the text that is asked for. Prints `{"port":…}` once it listens.
 * The request says which: arguments, URI or name are `{"kind", "text", "bytes"}` as JSON.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toText } from './expensive-texts.ts';

interface Incoming {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly uri?: string;
    readonly name?: string;
    readonly protocolVersion?: string;
    readonly _meta?: { readonly progressToken?: unknown };
  };
}

const STRING = { type: 'string' };
const TOOLS = [
  { name: 'echo', inputSchema: { type: 'object', properties: { text: STRING } } },
  { name: 'take', inputSchema: { type: 'object', properties: { text: {} } } },
  {
    name: 'say',
    inputSchema: { type: 'object', properties: { kind: STRING, text: STRING, bytes: { type: 'integer' } } },
  },
];
const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} };

/** Of texts that are made once: the bench measures reading, not making. */
const made = new Map<string, string>();

function toMade(text: string, bytes: number): string {
  const key = `${text} ${bytes}`;
  let known = made.get(key);
  if (known === undefined) {
    if (made.size > 4) made.clear();
    known = JSON.stringify(toText(text, bytes));
    made.set(key, known);
  }
  return known;
}

/** A result as JSON; `undefined`: the method is not known. */
function toResult({ method, params }: Incoming): string | undefined {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'expensive', version: '1' };
      const protocolVersion = params?.protocolVersion ?? '2025-11-25';
      return JSON.stringify({ protocolVersion, capabilities: CAPABILITIES, serverInfo });
    }
    case 'tools/list':
      return JSON.stringify({ tools: TOOLS });
    case 'resources/list':
      return JSON.stringify({ resources: [{ uri: 'expensive://one', name: 'one' }] });
    case 'resources/templates/list':
      return JSON.stringify({ resourceTemplates: [{ uriTemplate: 'expensive://{text}/{bytes}', name: 'any' }] });
    case 'prompts/list':
      return JSON.stringify({ prompts: [{ name: 'one', arguments: [{ name: 'text' }, { name: 'bytes' }] }] });
    case 'resources/read': {
      const [text = '', bytes = '0'] = (params?.uri ?? '').slice('expensive://'.length).split('/');
      return `{"contents":[{"uri":"expensive://one","text":${toMade(text, Number(bytes))}}]}`;
    }
    case 'prompts/get': {
      const { text, bytes } = params?.arguments ?? {};
      const said = bytes === undefined ? '""' : toMade(String(text), Number(bytes));
      return `{"messages":[{"role":"user","content":{"type":"text","text":${said}}}]}`;
    }
    case 'completion/complete':
      return '{"completion":{"values":[]}}';
    default:
      return undefined;
  }
}

const DONE = '{"content":[{"type":"text","text":"done"}]}';

/** A call of `say`. */
function say({ id, params }: Incoming, response: ServerResponse): void {
  const { kind, text, bytes } = params?.arguments ?? {};
  const said = toMade(String(text), Number(bytes));
  if (kind === 'error') send(response, `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":${said}}}`);
  else if (kind === 'http_error') response.writeHead(500, { 'content-type': 'text/plain' }).end(said);
  else if (kind === 'notification') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const token = JSON.stringify(params?._meta?.progressToken ?? 1);
    const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1,"message":${said}}}`;
    response.end(`data: ${progress}\n\ndata: {"jsonrpc":"2.0","id":${id},"result":${DONE}}\n\n`);
  } else {
    const content = `{"content":[{"type":"text","text":${said}}]}`;
    const structured = `{"content":[],"structuredContent":${toStructured(String(text), said)}}`;
    send(response, `{"jsonrpc":"2.0","id":${id},"result":${kind === 'structured' ? structured : content}}`);
  }
}

function answer(message: Incoming, response: ServerResponse): void {
  const { id, method, params } = message;
  if (method === 'tools/call' && params?.name === 'say') {
    say(message, response);
    return;
  }
  const result = method === 'tools/call' ? DONE : toResult(message);
  const error = '"error":{"code":-32601,"message":"Method not found"}';
  send(response, `{"jsonrpc":"2.0","id":${id},${result === undefined ? error : `"result":${result}`}}`);
}

/** What is JSON itself stands there as JSON. */
function toStructured(name: string, said: string): string {
  return name === 'members' ? (JSON.parse(said) as string) : `{"text":${said}}`;
}

function send(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(Buffer.concat(pieces).toString()) as Incoming;
    if (message.id === undefined) response.writeHead(202).end();
    else answer(message, response);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
// The bench holds our stdin: when it is gone, however it went, so are we.
process.stdin.resume().on('end', () => process.exit(0));
