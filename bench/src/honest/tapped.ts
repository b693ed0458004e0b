import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ServerEntry } from './install-servers.ts';
import type { RpcAnswer } from './mcp-client.ts';

const TAP = pathToFileURL(fileURLToPath(new URL('./tap.js', import.meta.url))).href;

/** An entry whose server also writes what it says to a file, and a reader of that file. */
export interface Tapped {
  readonly entry: ServerEntry;
  /** The last answer to a call or a read that the server gave since the last `take`. */
  take(): RpcAnswer | undefined;
}

export function tapServer(name: string, entry: ServerEntry, folder: string): Tapped {
  const file = join(folder, `${name}.tap`);
  closeSync(openSync(file, 'a'));
  let position = 0;
  return {
    entry: { ...entry, env: { ...entry.env, NODE_OPTIONS: `--import=${TAP}`, HONEST_TAP: file } },
    take() {
      const text = readFrom(file, position);
      position += Buffer.byteLength(text);
      return lastAnswer(text);
    },
  };
}

function readFrom(file: string, position: number): string {
  const opened = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(opened).size - position));
    readSync(opened, bytes, 0, bytes.length, position);
    return bytes.toString('utf8');
  } finally {
    closeSync(opened);
  }
}

function lastAnswer(text: string): RpcAnswer | undefined {
  for (const line of text.split('\n').reverse()) {
    if (!line.startsWith('{')) continue;
    try {
      const message = JSON.parse(line) as RpcAnswer & { readonly id?: unknown };
      if (message.error !== undefined && message.id !== undefined) return message;
      if (message.result !== undefined && ('content' in message.result || 'contents' in message.result)) return message;
    } catch {
      // Noise of a server on stdout.
    }
  }
  return undefined;
}
