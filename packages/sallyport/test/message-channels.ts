import type { IncomingMessage } from 'node:http';
import { atTheEnd } from './at-the-end.ts';
import { type HttpAnswer, messagesIn, openExchange } from './http-exchange.ts';
import { MODERN, modernParams, PlainClient } from './plain-client.ts';
import { type RunningGateway, StdioGateway, type WrittenConfig } from './running-sallyport.ts';

/** One way into the gateway, as bytes: a message goes in, the first message that comes back comes out. Characters are bytes. */
export interface Channel {
  readonly name: string;
  readonly modern: boolean;
  ask(message: string): Promise<string>;
}

/** All five ways in: each transport, in each era it has. */
export async function openChannels(gateway: RunningGateway, config: WrittenConfig): Promise<Channel[]> {
  const legacy = await new PlainClient(gateway).initialize();
  const modern = new PlainClient(gateway);
  return [
    {
      name: 'HTTP, legacy',
      modern: false,
      ask: async (message) => only(await legacy.post(bytes(message), legacy.session)),
    },
    {
      name: 'HTTP, modern',
      modern: true,
      ask: async (message) => only(await modern.post(bytes(message), mirrorOf(message))),
    },
    await openSse(gateway),
    await openStdio(config, false),
    await openStdio(config, true),
  ];
}

/** Lists may become known, and their change be told, at any time. */
const isNotification = (message: string) => message.startsWith('{"jsonrpc":"2.0","method":');
const bytes = (message: string) => Buffer.from(message, 'latin1');
const only = (answer: HttpAnswer) => messagesIn(answer).at(-1) ?? `nothing, HTTP ${answer.status}`;

/** The headers of a modern request, whatever its id looks like. */
function mirrorOf(message: string): Record<string, string> {
  const method = /"method":"([^"]+)"/.exec(message)?.[1] ?? '';
  const name = /"params":\{"name":"([^"]+)"/.exec(message)?.[1];
  return { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(name === undefined ? {} : { 'mcp-name': name }) };
}

export const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

async function openStdio(config: WrittenConfig, modern: boolean): Promise<Channel> {
  const gateway = new StdioGateway(config, ['--log-level', 'warn', '--no-call-log']);
  let taken = 0;
  const ask = async (message: string): Promise<string> => {
    gateway.send(Buffer.from(message, 'latin1'));
    return gateway.process.until(() => {
      let line = gateway.lines[taken];
      while (line !== undefined && isNotification(line)) line = gateway.lines[++taken];
      if (line !== undefined) taken++;
      return line;
    });
  };
  if (!modern) {
    await ask(JSON.stringify({ jsonrpc: '2.0', id: 'start', method: 'initialize', params: INITIALIZE }));
    gateway.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  }
  return { name: modern ? 'stdio, modern' : 'stdio, legacy', modern, ask };
}

/** A client of HTTP+SSE, and what comes on its stream behind the address it posts to. */
export async function openSseStream(
  gateway: RunningGateway,
): Promise<{ client: PlainClient; events: AsyncGenerator<string> }> {
  const { accept: _, ...headers } = gateway.headers;
  const stream = await openExchange({
    url: gateway.sse,
    method: 'GET',
    headers: { ...headers, accept: 'text/event-stream' },
  });
  atTheEnd(() => stream.destroy());
  const events = eventsOf(stream);
  const path = (await events.next()).value ?? '';
  return { client: new PlainClient(gateway, gateway.origin + path), events };
}

async function openSse(gateway: RunningGateway): Promise<Channel> {
  const { client, events } = await openSseStream(gateway);
  const ask = async (message: string): Promise<string> => {
    const answer = await client.post(bytes(message));
    if (answer.status !== 202) return answer.body;
    for (;;) {
      const data = (await events.next()).value ?? '';
      if (!isNotification(data)) return data;
    }
  };
  await ask(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 'start',
      method: 'initialize',
      params: { ...INITIALIZE, protocolVersion: '2024-11-05' },
    }),
  );
  return { name: 'SSE', modern: false, ask };
}

/** The data of each event of a stream, as they come. */
export async function* eventsOf(stream: IncomingMessage): AsyncGenerator<string, undefined> {
  let held = '';
  for await (const chunk of stream.setEncoding('latin1')) {
    const events = (held + chunk).split('\n\n');
    held = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined && data !== '') yield data;
    }
  }
  return undefined;
}

/** The text of a request; `id` and everything in `params` after `name` are written by the test. */
export function requestText(
  channel: Channel,
  id: string,
  method: string,
  params: Record<string, unknown> = {},
): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(channel.modern ? modernParams(params) : params)}}`;
}
