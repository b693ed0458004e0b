import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Issue, IssueStore } from './store.ts';

export interface IssueApi {
  /** Where it is, for example `http://127.0.0.1:41234`. */
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY = 200_000;

/** The issues over HTTP: `GET /issues`, `POST /issues`, `GET /issues/{id}`, `PATCH /issues/{id}`. On loopback, behind a key. */
export async function startIssueApi(store: IssueStore, key: string): Promise<IssueApi> {
  const server = createServer((request, response) => {
    void answer(store, key, request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer = readonly [status: number, body: unknown];

async function answer(store: IssueStore, key: string, request: IncomingMessage): Promise<Answer> {
  if (request.headers.authorization !== `Bearer ${key}`) return [401, { error: 'The key is missing or wrong.' }];
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const id = /^\/issues\/(\d+)$/.exec(pathname)?.[1];
  try {
    if (pathname === '/issues' && request.method === 'GET') {
      const state = searchParams.get('state') ?? undefined;
      const range = {
        state,
        limit: Number(searchParams.get('limit') ?? 20),
        offset: Number(searchParams.get('offset') ?? 0),
      };
      return [200, { issues: store.list(range), total: store.count(state) }];
    }
    if (pathname === '/issues' && request.method === 'POST') return [201, store.create(await readBody(request))];
    if (id !== undefined && request.method === 'GET') return toFound(store.find(Number(id)));
    if (id !== undefined && request.method === 'PATCH')
      return toFound(store.update(Number(id), await readBody(request)));
    return [404, { error: `There is nothing at ${request.method} ${pathname}.` }];
  } catch (error) {
    return [error instanceof SyntaxError || error instanceof RangeError ? 400 : 500, { error: 'The request failed.' }];
  }
}

function toFound(issue: Issue | undefined): Answer {
  return issue === undefined ? [404, { error: 'There is no such issue.' }] : [200, issue];
}

async function readBody(request: IncomingMessage): Promise<Pick<Issue, 'title' | 'body'>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) throw new RangeError('too large');
    chunks.push(chunk);
  }
  // Its only client sends what the tools validated.
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Pick<Issue, 'title' | 'body'>;
}
