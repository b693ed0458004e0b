import type { Target } from './connection.ts';

export type Era = 'legacy' | 'modern';
export type Tool = 'echo' | 'big';

const LEGACY_REVISION = '2025-11-25';
const MODERN_REVISION = '2026-07-28';
const CLIENT_INFO = { name: 'bench-load', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** With its envelope an echo answer is about 200 bytes. */
export const ECHO_TEXT =
  'Sallyport bench: this text comes back as it went in, so that an answer is about two hundred bytes with what is around it.';

/** Ids have nine digits, so that a request can be sent again with another id written over the first. */
const FIRST_ID = 100_000_000;

/** A request ready for the wire, whose id is renewed in place. */
export interface Template {
  readonly bytes: Buffer;
  /** Where the id's nine digits stand. */
  readonly idAt: number;
}

/** A session as its answers made it: `undefined` where nothing is needed. */
export interface Session {
  readonly id: string | undefined;
}

/** The head of a request, and its body when there is one. */
export function requestHead(
  method: string,
  target: Pick<Target, 'port' | 'path' | 'headers'>,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Buffer {
  const lines = [`${method} ${target.path} HTTP/1.1`, `host: 127.0.0.1:${target.port}`];
  for (const [name, value] of Object.entries({ ...target.headers, ...headers })) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

export function initialize(target: Target): Buffer {
  const params = { protocolVersion: LEGACY_REVISION, capabilities: {}, clientInfo: CLIENT_INFO };
  return post(target, {}, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
}

export function initialized(target: Target, session: Session): Buffer {
  return post(target, legacyHeaders(session), { jsonrpc: '2.0', method: 'notifications/initialized' });
}

export function listTools(target: Target, era: Era, session: Session): Buffer {
  return request(target, era, session, { method: 'tools/list', params: {} }).bytes;
}

/** The calls a caller makes, one per tool. */
export function callTemplates(target: Target, era: Era, session: Session): Record<Tool, Template> {
  return { echo: callTool(target, era, session, 'echo'), big: callTool(target, era, session, 'big') };
}

/** Ends a legacy session. */
export function deleteSession(target: Target, session: Session): Buffer {
  return requestHead('DELETE', target, legacyHeaders(session), undefined);
}

/** Writes `id` over the template's own and returns its digits. */
export function renewId(template: Template, count: number): string {
  const digits = String(FIRST_ID + count);
  template.bytes.write(digits, template.idAt, 9, 'latin1');
  return digits;
}

/** Headers every legacy request after `initialize` carries. */
export function legacyHeaders(session: Session): Record<string, string> {
  return {
    'mcp-protocol-version': LEGACY_REVISION,
    ...(session.id === undefined ? {} : { 'mcp-session-id': session.id }),
  };
}

function callTool(target: Target, era: Era, session: Session, tool: Tool): Template {
  const name = target.toolPrefix + tool;
  const params = { name, arguments: tool === 'echo' ? { text: ECHO_TEXT } : {} };
  return request(target, era, session, { method: 'tools/call', params }, name);
}

function request(
  target: Target,
  era: Era,
  session: Session,
  message: { readonly method: string; readonly params: object },
  name?: string,
): Template {
  const params = era === 'modern' ? { ...message.params, _meta: META } : message.params;
  const headers =
    era === 'legacy'
      ? legacyHeaders(session)
      : {
          'mcp-protocol-version': MODERN_REVISION,
          'mcp-method': message.method,
          ...(name === undefined ? {} : { 'mcp-name': name }),
        };
  const bytes = post(target, headers, { jsonrpc: '2.0', id: FIRST_ID, method: message.method, params });
  return { bytes, idAt: bytes.lastIndexOf(String(FIRST_ID)) };
}

function post(target: Target, headers: Readonly<Record<string, string>>, body: object): Buffer {
  const content = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return requestHead('POST', target, { ...content, ...headers }, JSON.stringify(body));
}
