import { isObject, type Json, type JsonObject, member } from '../core/json.ts';

/** What a tool returned, for people: its content, or its structured content where there is none. */
export function describeToolResult(result: JsonObject): string {
  const content = member(result, 'content');
  if (Array.isArray(content) && content.length > 0)
    return content.map((block: Json) => describeBlock(block)).join('\n');
  const structured = member(result, 'structuredContent');
  if (structured !== undefined) return JSON.stringify(structured, null, 2);
  // A task handle or another result type: shown as it is.
  return Array.isArray(content) ? '' : JSON.stringify(result, null, 2);
}

/** The messages of a prompt, for people. */
export function describePrompt(result: JsonObject): string {
  const messages = member(result, 'messages');
  if (!Array.isArray(messages)) return JSON.stringify(result, null, 2);
  return messages
    .map((message: Json) => `${String(member(message, 'role') ?? '')}: ${describeBlock(member(message, 'content'))}`)
    .join('\n');
}

/** What a resource holds: text as it is, one piece of bytes as these bytes, several pieces described. */
export function describeContents(result: JsonObject, toTerminal: boolean): string | Buffer {
  const contents = member(result, 'contents');
  if (!Array.isArray(contents)) return JSON.stringify(result, null, 2);
  const only = contents.length === 1 ? member(contents[0], 'blob') : undefined;
  if (typeof only === 'string' && !toTerminal) return Buffer.from(only, 'base64');
  return contents.map((piece: Json) => describeResource(piece)).join('\n');
}

/** One content block (MCP tools#tool-result). */
function describeBlock(block: Json | undefined): string {
  switch (member(block, 'type')) {
    case 'text':
      return String(member(block, 'text') ?? '');
    case 'image':
    case 'audio':
      return `[${String(member(block, 'type'))} ${String(member(block, 'mimeType') ?? '')}, ${bytesOf(member(block, 'data'))} bytes]`;
    case 'resource_link':
      return `[link ${String(member(block, 'title') ?? member(block, 'name') ?? '')} ${String(member(block, 'uri') ?? '')}]`;
    case 'resource':
      return describeResource(member(block, 'resource'));
    default:
      return isObject(block) ? JSON.stringify(block) : '';
  }
}

function describeResource(resource: Json | undefined): string {
  const text = member(resource, 'text');
  if (typeof text === 'string') return text;
  const blob = member(resource, 'blob');
  return `[${String(member(resource, 'uri') ?? '')} ${String(member(resource, 'mimeType') ?? '')}, ${bytesOf(blob)} bytes]`;
}

function bytesOf(base64: Json | undefined): number {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
}
