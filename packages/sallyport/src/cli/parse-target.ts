import { FaultError } from '../core/errors.ts';

/** What the verbs work on, as it is written on a command line. */
export type Target =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }
  /** A configuration file, of this program or of a client; `server` after `#`. */
  | { readonly kind: 'file'; readonly file: string; readonly server: string | undefined }
  | { readonly kind: 'saved'; readonly name: string };

/**
 * A URL, a command after `--`, a file (`mcp.json`, `./mcp.json#github`), or the name of a saved server.
 * @throws FaultError `usage` for a `--` with nothing behind it, and for a URL without its scheme.
 */
export function parseTarget(word: string | undefined, dashed: readonly string[] | undefined): Target | undefined {
  if (dashed !== undefined) {
    const [command, ...args] = dashed;
    if (command === undefined || command === '') throw new FaultError('usage', 'There is no command after "--".');
    return { kind: 'command', command, args };
  }
  if (word === undefined) return undefined;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return { kind: 'url', url: word };
  if (/^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|\[[0-9a-f:]+\]):\d{1,5}(?:\/|$)/i.test(word)) {
    throw new FaultError('usage', `A URL begins with http:// or https://; write http://${word}.`);
  }
  const hash = word.indexOf('#');
  const file = hash < 0 ? word : word.slice(0, hash);
  if (/\.(?:json|jsonc|ya?ml)$/i.test(file) || /[/\\]/.test(file)) {
    const server = hash < 0 ? undefined : word.slice(hash + 1);
    return { kind: 'file', file, server: server === '' ? undefined : server };
  }
  return { kind: 'saved', name: word };
}
