import type { Json, JsonObject } from '../core/json.ts';
import { member } from '../core/json.ts';
import { maskArgs, maskUrl } from './mask-secrets.ts';

/** One line that tells a server from others, without secrets. */
export function describeWritten(entry: JsonObject): { readonly type: string; readonly place: string } {
  const command = member(entry, 'command');
  const url = member(entry, 'url') ?? member(entry, 'serverUrl');
  const type = member(entry, 'type');
  if (typeof url === 'string') return { type: typeof type === 'string' ? type : 'auto', place: maskUrl(url) };
  const args = member(entry, 'args');
  const words = [String(command ?? ''), ...(Array.isArray(args) ? args.map((word: Json) => String(word)) : [])];
  return { type: 'stdio', place: maskArgs(words).join(' ') };
}
