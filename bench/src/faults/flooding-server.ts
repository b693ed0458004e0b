/** A process: an MCP server over stdio or, with a port, over HTTP, whose tool `flood` says notifications of a kind until it is called without one. */
import { createServer } from 'node:http';

interface Incoming {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly arguments?: { readonly kind?: string };
    readonly _meta?: { readonly progressToken?: number };
  };
}

const TOOL = { name: 'flood', inputSchema: { type: 'object', properties: { kind: { type: 'string' } } } };
const IDENTITY = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} },
  serverInfo: { name: 'flood', version: '1' },
};
/** Written at once. */
const LINES = 200;

let stop: () => void = () => {};

function toResult({ method }: Incoming): object {
  if (method === 'initialize') return IDENTITY;
  if (method === 'tools/list') return { tools: [TOOL] };
  if (method === 'resources/list') return { resources: [] };
  return { content: [{ type: 'text', text: 'done' }] };
}

/** Notifications of one kind, one JSON text each. */
function toFlood(kind: string, token: number | undefined): string[] {
  return Array.from({ length: LINES }, (_, i) =>
    JSON.stringify({ jsonrpc: '2.0', method: `notifications/${kind}`, params: toParams(kind, token, i) }),
  );
}

function toParams(kind: string, token: number | undefined, i: number): object {
  if (kind === 'progress') return { progressToken: token, progress: i, message: 'another step of the work is done' };
  if (kind === 'message') return { level: 'info', logger: 'flood', data: `line ${i} of a log that nobody asked for` };
  if (kind === 'resources/updated') return { uri: `flood://${i}` };
  return {};
}

interface Flooded {
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

function pour(to: Flooded, text: string): () => void {
  let over = false;
  const go = (): void => {
    while (!over) {
      if (to.write(text)) continue;
      to.once('drain', go);
      return;
    }
  };
  setImmediate(go);
  return () => {
    over = true;
  };
}

function startStdio(): void {
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as Incoming;
      const kind = message.params?.arguments?.kind;
      if (message.method === 'tools/call') stop();
      // Progress belongs to a call that goes on.
      if (message.id !== undefined && kind !== 'progress')
        process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: toResult(message) })}\n`);
      if (kind !== undefined)
        stop = pour(process.stdout, `${toFlood(kind, message.params?._meta?.progressToken).join('\n')}\n`);
    }
  });
  process.stdin.on('end', () => process.exit(0));
}

function startHttp(): void {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const message = JSON.parse(body) as Incoming;
      const kind = message.params?.arguments?.kind;
      if (message.method === 'tools/call') stop();
      if (message.id === undefined) response.writeHead(202).end();
      else if (kind === undefined) {
        const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: toResult(message) });
        response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      } else {
        // On the stream of a call that goes on.
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const events = toFlood(kind, message.params?._meta?.progressToken).map((data) => `data: ${data}\n\n`);
        const end = pour(response, events.join(''));
        stop = () => {
          end();
          response.end();
        };
      }
    });
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
}

if (process.argv[2] === 'http') startHttp();
else startStdio();
