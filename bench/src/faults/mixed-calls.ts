import { Agent, type IncomingMessage, request } from 'node:http';
import type { Target } from '../load/connection.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const LEGACY = '2025-11-25';

/** Keeps connections; destroyed at the end of a part. */
export const agent = new Agent({ keepAlive: true });

/** A call of a modern client. @throws for an answer that is no result */
export async function call(target: Target, name: string, given: object): Promise<void> {
  const body = await read(await open(target, 'tools/call', { name, arguments: given }));
  if (!body.includes('"result"')) throw new Error(`${name}: ${body.slice(0, 300)}`);
}

/** A modern request whose answer is not read yet. */
export function open(
  target: Target,
  method: string,
  params: { readonly name?: string; readonly [member: string]: unknown },
): Promise<IncomingMessage> {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  const named = params.name === undefined ? headers : { ...headers, 'mcp-name': params.name };
  return send(target, { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }, named);
}

/** Begins a legacy session. @returns the headers of its requests */
export async function startSession(target: Target): Promise<Record<string, string>> {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const opened = await send(target, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, {});
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']), 'mcp-protocol-version': LEGACY };
  await read(opened);
  await read(await send(target, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers));
  return headers;
}

/** Sends a message, or a request without one. */
export function send(
  { port, path, headers }: Target,
  message: object | 'GET' | 'DELETE',
  more: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, path, method: typeof message === 'string' ? message : 'POST', agent },
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: message === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
          ...more,
        },
      },
      resolve,
    );
    sent.on('error', reject);
    sent.end(typeof message === 'string' ? undefined : JSON.stringify(message));
  });
}

export async function read(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}
