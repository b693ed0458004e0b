/**
 * A process: the obvious relay on the official SDK v2, written the way its guides show. A client behind, servers in
 * front: one per legacy session, one per modern request. Usage: `sdk-relay.js <upstream url | command args…>`.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, Server } from '@modelcontextprotocol/server';

const [target = '', ...args] = process.argv.slice(2);
const client = new Client({ name: 'sdk-relay', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(
  target.startsWith('http')
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args }),
);

function createRelay(): Server {
  const server = new Server({ name: 'sdk-relay', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', (request) => client.listTools(request.params));
  server.setRequestHandler('tools/call', (request) => client.callTool(request.params));
  return server;
}

const modern = toNodeHandler(createMcpHandler(createRelay, { legacy: 'reject' }));
const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

async function handleLegacy(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
  const id = request.headers['mcp-session-id'];
  const known = typeof id === 'string' ? sessions.get(id) : undefined;
  if (known !== undefined) return known.handleRequest(request, response, body);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void sessions.set(session, transport),
    onsessionclosed: (session) => void sessions.delete(session),
  });
  await createRelay().connect(transport);
  await transport.handleRequest(request, response, body);
}

/** On a server a request has both; node:http's type, shared with its client, does not say so. */
type Arrived = IncomingMessage & { method: string; url: string };

async function handle(request: Arrived, response: ServerResponse): Promise<void> {
  let body: unknown;
  if (request.method === 'POST') {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  }
  const legacy = await isLegacyRequest(await toWebRequest(request, body), body);
  await (legacy ? handleLegacy(request, response, body) : modern(request, response, body));
}

const server = createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, (request, response) => {
  handle(request as Arrived, response).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
process.stdin.resume().on('end', () => process.exit(0));
