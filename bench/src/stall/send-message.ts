import { request } from 'node:http';
import type { Target } from '../load/connection.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench-stall', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
  progressToken: 7,
};
/** A result that takes longer is noted as such. Milliseconds. */
const DEADLINE_MS = 120_000;

/** What passes: the text itself in a request, or its name and size for the server to say it. */
export type Sent =
  | { readonly kind: 'argument' | 'prompt' | 'completion'; readonly text: string }
  | { readonly kind: SaidKind; readonly name: string; readonly bytes: number };

export type SaidKind = 'result' | 'structured' | 'error' | 'http_error' | 'notification' | 'contents' | 'messages';

/** Sends one request of a modern client. @returns how it ended, in a word */
export function sendMessage(target: Target, sent: Sent): Promise<string> {
  const [method, params] = toRequest(sent);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } });
  const name = params.name ?? params.uri;
  const headers = {
    ...target.headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
  return new Promise((resolve) => {
    const { port, path } = target;
    const options = { host: '127.0.0.1', port, path, method: 'POST', headers };
    const asked = request({ ...options, signal: AbortSignal.timeout(DEADLINE_MS) }, (response) => {
      let [size, start] = [0, ''];
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (start.length < 600) start += chunk.toString('latin1', 0, 600);
      });
      response.on('error', ({ message }) => resolve(message));
      response.on('end', () => resolve(`${response.statusCode} ${size} ${toOutcome(start)}`));
    });
    asked.on('error', ({ message }) => resolve(message));
    asked.end(body);
  });
}

function toOutcome(start: string): string {
  const refusal = /"(?:message|text)":"(?:The|This|A|Its|"expensive")[^"]{0,90}/.exec(start)?.[0];
  return refusal ?? (start.includes('"error"') ? start.slice(0, 90) : 'passed');
}

/** What is JSON passes as JSON where it can. */
function toValue(text: string): unknown {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface Params {
  readonly name?: string;
  readonly uri?: string;
  readonly [member: string]: unknown;
}

function toRequest(sent: Sent): readonly [string, Params] {
  switch (sent.kind) {
    case 'argument':
      return ['tools/call', { name: 'expensive_take', arguments: { text: toValue(sent.text) } }];
    case 'prompt':
      return ['prompts/get', { name: 'expensive_one', arguments: { text: sent.text } }];
    case 'completion': {
      const ref = { type: 'ref/prompt', name: 'expensive_one' };
      return ['completion/complete', { ref, argument: { name: 'text', value: sent.text } }];
    }
    case 'contents':
      return ['resources/read', { uri: `expensive://${sent.name}/${sent.bytes}` }];
    case 'messages':
      return ['prompts/get', { name: 'expensive_one', arguments: { text: sent.name, bytes: String(sent.bytes) } }];
    default: {
      const { kind, name, bytes } = sent;
      return ['tools/call', { name: 'expensive_say', arguments: { kind, text: name, bytes } }];
    }
  }
}
