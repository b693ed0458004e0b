/**
 * A process: the upstream over Streamable HTTP on node:http. Prints `{"port":…}` once it listens. `BENCH_EXECUTED`: the
 * file into which the text of each call goes before it is answered.
 */
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { acknowledge, answer, type Incoming } from './answers.ts';

const EXECUTED = process.env['BENCH_EXECUTED'];
const sessions = new Set<string>();
let sessionCount = 0;

const server = createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, (request, response) => {
  response.sendDate = false;
  const session = request.headers['mcp-session-id'];
  if (request.method === 'POST') {
    readBody(request, (body) => answerPost(body, session, response));
  } else if (request.method === 'GET' && typeof session === 'string' && sessions.has(session)) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
    response.flushHeaders();
  } else if (request.method === 'DELETE' && typeof session === 'string') {
    response.writeHead(sessions.delete(session) ? 200 : 404).end();
  } else {
    response.writeHead(405).end();
  }
});

function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  let first: Buffer | undefined;
  let rest: Buffer[] | undefined;
  request.on('data', (chunk: Buffer) => {
    if (first === undefined) first = chunk;
    else if (rest === undefined) rest = [first, chunk];
    else rest.push(chunk);
  });
  request.on('end', () => done(rest === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(rest)));
}

function answerPost(body: Buffer, session: string | string[] | undefined, response: ServerResponse): void {
  let message: Incoming;
  try {
    message = JSON.parse(body.toString('utf8')) as Incoming;
  } catch {
    response.writeHead(400).end();
    return;
  }
  if (message.method === 'subscriptions/listen') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
    response.write(`data: ${acknowledge(message)}\n\n`);
    return;
  }
  if (EXECUTED !== undefined && message.method === 'tools/call')
    appendFileSync(EXECUTED, `${message.params?.arguments?.text}\n`);
  const text = answer(message);
  if (text === undefined) {
    response.writeHead(202).end();
    return;
  }
  if (message.method === 'initialize') {
    sessionCount += 1;
    const id = `session-${process.pid}-${sessionCount}`;
    sessions.add(id);
    response.setHeader('Mcp-Session-Id', id);
  } else if (typeof session === 'string' && !sessions.has(session)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
// The bench holds our stdin: when it is gone, however it went, so are we.
process.stdin.resume().on('end', () => process.exit(0));
