/**
 * A process: MCP servers of the legacy era on one port. Prints `{"port":…}` once it listens; `BENCH_PORT`: the port.
 * `/<name>/<tools>/mcp` is a server with that many tools that answer the text they are given, `/silent/mcp` one that accepts
 * every request and never answers.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Incoming } from './answers.ts';

const NOUNS = 'invoice order ticket branch file channel report metric event refund product task page block query'.split(
  ' ',
);
const VERBS = 'list get create update delete search export import archive restore'.split(' ');

/** Different ones in each server: here it is listing that is measured, not finding what competes. */
function toTools(server: string, count: number): object[] {
  return Array.from({ length: count }, (_, i) => {
    const [verb, noun] = [VERBS[i % VERBS.length], NOUNS[Math.floor(i / VERBS.length) % NOUNS.length]];
    return {
      name: i === 0 ? 'echo' : `${verb}_${noun}_${i}`,
      description: `Tool ${i} of ${server}: ${verb} a ${noun} of ${server}, by its id. The answer has title and dates.`,
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', description: `What ${server} reads.` }, limit: { type: 'integer' } },
      },
    };
  });
}

function resultOf({ method, params }: Incoming, server: string, count: number): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: server, version: '1.0.0' },
      };
    case 'tools/list':
      return { tools: toTools(server, count) };
    case 'tools/call':
      return { content: [{ type: 'text', text: String(params?.arguments?.text) }] };
    default:
      return undefined;
  }
}

const server = createServer((request, response) => {
  const [, name = '', count = '0'] = (request.url ?? '').split('/');
  if (name === 'silent') return;
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    body += piece;
  });
  request.on('end', () => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(body) as Incoming;
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const result = resultOf(message, name, Number(count));
    const error = { code: -32601, message: 'Method not found' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) }),
    );
  });
});
server.listen(Number(process.env['BENCH_PORT'] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
// The bench holds our stdin: when it is gone, however it went, so are we.
process.stdin.resume().on('end', () => process.exit(0));
