import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { createHosts } from './hosts.ts';
import type { DrillServer, Play, PlayName, Side, Site } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { createServed, type Line } from './served.ts';

// A process of the drill: `stdio <scenario> <play> <server> <folder>` is one server on its streams,
// `http <scenario> <folder>` all servers and web sites of a scenario that are reached over HTTP. Both end with their stdin.

const SIDES: readonly Side[] = ['plain', 'guarded'];
const PLAYS: readonly PlayName[] = ['attack', 'honest'];
const [mode, scenarioName, ...rest] = process.argv.slice(2);
const scenario = SCENARIOS.find(({ name }) => name === scenarioName);
if (scenario === undefined) throw new Error(`no scenario ${scenarioName}`);

if (mode === 'stdio') {
  const [play = 'attack', serverName = '', folder = ''] = rest;
  const server = scenario[play as PlayName].servers.find(({ name }) => name === serverName); // one of the two, by whoever started us
  if (server === undefined) throw new Error(`no server ${serverName}`);
  serveStdio(server, folder);
} else {
  const [folder = ''] = rest;
  const ports = new Map<string, number>();
  for (const side of SIDES)
    for (const play of PLAYS) await openPlay(scenario[play], { key: `${side}/${play}`, folder, ports });
  process.stdout.write(`${JSON.stringify(Object.fromEntries(ports))}\n`);
  process.stdin.resume().on('end', () => process.exit(0));
}

function noteIn(folder: string, server: string): (what: string, detail: string) => void {
  return (what, detail) =>
    appendFileSync(join(folder, 'ledger.jsonl'), `${JSON.stringify({ server, what, detail })}\n`);
}

function serveStdio(server: DrillServer, folder: string): void {
  const send = (line: Line): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);
  const hosts = createHosts(process.env['DRILL_HOSTS']);
  const waiting = new Map<string, (answer: JsonObject) => void>();
  let asked = 0;
  const served = createServed(server, {
    note: noteIn(folder, server.name),
    get: hosts.get,
    tell: (method) => send({ method }),
    ask: (method, params) =>
      new Promise((resolve) => {
        const id = `drill-${++asked}`;
        waiting.set(id, resolve);
        send({ id, method, params });
      }),
  });
  createInterface({ input: process.stdin })
    .on('line', (text) => {
      const message: unknown = JSON.parse(text);
      const id = member(message, 'id');
      const answered = typeof id === 'string' && !isObject(member(message, 'params')) ? waiting.get(id) : undefined;
      if (answered !== undefined && member(message, 'method') === undefined) return answered(message as JsonObject);
      void served.handle(message).then((line) => line && send(line));
    })
    .on('close', () => process.exit(0));
}

interface Place {
  readonly key: string;
  readonly folder: string;
  readonly ports: Map<string, number>;
}

async function openPlay(play: Play, { key, folder, ports }: Place): Promise<void> {
  const own = new Map<string, number>();
  const ownFolder = join(folder, key);
  for (const site of play.sites ?? []) {
    const port = await listen((request, response) => serveSite(site, { request, response, folder: ownFolder }));
    own.set(site.host, port);
    ports.set(`${key}/site/${site.host}`, port);
  }
  const hosts = createHosts(JSON.stringify(Object.fromEntries(own)));
  for (const server of play.servers.filter(({ stdio }) => stdio !== true)) {
    const served = createServed(server, {
      note: noteIn(ownFolder, server.name),
      get: hosts.get,
      tell: () => undefined,
      ask: () => Promise.reject(new Error('only over stdio')),
    });
    const port = await listen((request, response) => void serveHttp(server, served, { request, response }));
    ports.set(`${key}/server/${server.name}`, port);
  }
}

function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer(handle).listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)); // it listens on TCP
  });
}

interface Exchanged {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function serveSite(site: Site, { request, response, folder }: Exchanged & { readonly folder: string }): void {
  noteIn(folder, site.host)('visited', decodeURIComponent(request.url ?? ''));
  response.writeHead(200, { 'content-type': 'text/plain' }).end(site.page);
}

async function serveHttp(
  { token }: DrillServer,
  served: { handle(message: unknown): Promise<Line | undefined> },
  { request, response }: Exchanged,
): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
    return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  const line = await served.handle(JSON.parse(text));
  if (line === undefined) return void response.writeHead(202).end();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', ...line }));
}
