import type { IncomingHttpHeaders } from 'node:http';
import { codes, type Fields, isFields, type Request, RpcError, toFields } from './messages.ts';
import { readRevision } from './modern.ts';
import { findTool } from './tools/index.ts';

/** Which member of params a method's Mcp-Name header repeats. */
const namedBy: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/**
 * The body is the truth; headers that intermediaries may have acted upon must agree with it
 * (specification 2026-07-28, Streamable HTTP, server validation). Throws -32020.
 */
export function checkHeaders(headers: IncomingHttpHeaders, request: Request): void {
  const params = toFields(request.params);
  expect('MCP-Protocol-Version', headers['mcp-protocol-version'], readRevision(params));
  expect('Mcp-Method', headers['mcp-method'], request.method);
  const member = namedBy.get(request.method);
  if (member !== undefined) expect('Mcp-Name', decode('Mcp-Name', headers['mcp-name']), params[member]);
  if (request.method === 'tools/call' && typeof params.name === 'string') {
    const tool = findTool(params.name, 'modern');
    if (tool !== undefined) checkParams(headers, tool.definition.inputSchema, toFields(params.arguments));
  }
}

function checkParams(headers: IncomingHttpHeaders, schema: Fields, args: Fields): void {
  for (const [name, property] of Object.entries(toFields(schema.properties))) {
    if (!isFields(property)) continue;
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    const suffix = property['x-mcp-header'];
    if (typeof suffix === 'string') {
      const header = decode(`Mcp-Param-${suffix}`, headers[`mcp-param-${suffix.toLowerCase()}`]);
      expect(`Mcp-Param-${suffix}`, header, value ?? undefined);
    }
    checkParams(headers, property, toFields(value));
  }
}

function expect(name: string, header: string | string[] | undefined, body: unknown): void {
  const agrees = typeof body === 'number' && header !== undefined ? Number(header) === body : header === toHeader(body);
  if (!agrees) throw toMismatch(`${name} does not match the body`);
}

function toHeader(body: unknown): string | undefined {
  return body === undefined ? undefined : String(body);
}

/** Undoes the =?base64?…?= wrapping, strictly: Buffer.from would accept wrong padding and skip foreign characters. */
function decode(name: string, header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = String(header);
  if (!/^[\x20-\x7e\t]*$/.test(text)) throw toMismatch(`${name} holds invalid characters`);
  const wrapped = /^=\?base64\?(.*)\?=$/.exec(text)?.[1];
  if (wrapped === undefined) return text;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(wrapped)) {
    throw toMismatch(`${name} is not valid Base64`);
  }
  return Buffer.from(wrapped, 'base64').toString('utf8');
}

function toMismatch(message: string): RpcError {
  return new RpcError(codes.headerMismatch, `Header mismatch: ${message}`, { status: 400 });
}
