import type { Reply } from './connection.ts';
import { ECHO_TEXT, type Tool } from './messages.ts';

/** Body of a `big` answer in bytes, at the least. */
const BIG_BYTES = 102_400;

/** Cheap enough for every measured call: status, id, size, no error marker. `undefined` when all is well. */
export function faultOf(reply: Reply | Error, id: string, tool: Tool): string | undefined {
  if (reply instanceof Error) return reply.message;
  if (reply.status !== 200) return `HTTP ${reply.status} ${shorten(reply.text)}`;
  if (!reply.text.includes(`"id":${id}`)) return `answer without id ${id}: ${shorten(reply.text)}`;
  if (reply.text.includes('"error":{') || reply.text.includes('"isError":true')) return shorten(reply.text);
  if (tool === 'big' && reply.bytes < BIG_BYTES) return `only ${reply.bytes} bytes`;
  return undefined;
}

/** The `result` of a JSON or SSE answer; throws on everything else. */
export function resultIn(reply: Reply): Record<string, unknown> {
  const lines = reply.text.includes('data:') ? reply.text.split('\n').filter((line) => line.startsWith('data:')) : [];
  const texts =
    lines.length > 0 ? lines.map((line) => line.slice(5)).filter((line) => line.trim() !== '') : [reply.text];
  for (const text of texts) {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      break;
    }
    if (isRecord(message) && isRecord(message['result'])) return message['result'];
  }
  throw new Error(`HTTP ${reply.status}: ${shorten(reply.text)}`);
}

/** Tool names of a `tools/list` result. */
export function namesIn(result: Record<string, unknown>): string[] {
  const tools = Array.isArray(result['tools']) ? result['tools'] : [];
  return tools.map((tool: unknown) => (isRecord(tool) ? String(tool['name']) : ''));
}

/** Throws unless `result` is what `tool` has to answer. */
export function assertAnswer(result: Record<string, unknown>, tool: Tool): void {
  const content = Array.isArray(result['content']) ? (result['content'][0] as unknown) : undefined;
  const text = isRecord(content) ? String(content['text']) : '';
  if (result['isError'] === true) throw new Error(`${tool} failed: ${shorten(text)}`);
  const right = tool === 'echo' ? text === ECHO_TEXT : text.length === BIG_BYTES;
  if (!right) throw new Error(`${tool} answered ${shorten(JSON.stringify(result))}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
