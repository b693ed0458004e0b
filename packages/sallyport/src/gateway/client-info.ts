import { member } from '../core/json.ts';

/** What a client calls itself, cut to what is kept of it. */
export function toClientInfo(info: unknown): { readonly name: string; readonly version: string } {
  const name = member(info, 'name');
  const version = member(info, 'version');
  return {
    name: typeof name === 'string' ? cutTo(128, name) : 'unknown',
    version: typeof version === 'string' ? cutTo(64, version) : '',
  };
}

/** A copy: a slice would keep the whole text alive, and clients are remembered. */
function cutTo(length: number, text: string): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length)).toString();
}
