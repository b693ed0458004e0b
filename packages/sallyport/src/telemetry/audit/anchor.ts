import { execFile } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { open } from 'node:fs/promises';
import { FaultError } from '../../core/errors.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { Post } from '../../core/post.ts';
import { readLines } from './read-lines.ts';
import type { Head } from './recover.ts';
import { isSealed, toKeyId } from './sealer.ts';
import { codeOf } from './segment-file.ts';

/** Hands a signed head out of reach of whoever can write the state directory. Rejects with the reason. */
export type Publish = (line: string) => Promise<void>;

/** Where heads are published: a file, a command, a URL. */
const FILE = 'file:';
const COMMAND = 'command:';

/** Nobody waits longer for another machine. Milliseconds. */
const ANSWER_MS = 10_000;

/** @param anchor as `audit.anchor` has it */
export function createPublish(anchor: string, post: Post): Publish {
  const file = fileOf(anchor);
  if (file !== undefined) return (line) => append(file, line);
  if (anchor.startsWith(COMMAND)) return (line) => run(anchor.slice(COMMAND.length), line);
  return async (line) => {
    const answer = await post(anchor, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: line,
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  };
}

/** The file, where heads are published in one: the only kind that can be read again. */
export function fileOf(anchor: string | undefined): string | undefined {
  return anchor?.startsWith(FILE) === true ? anchor.slice(FILE.length) : undefined;
}

/** A state of a chain that was published. */
export interface AnchoredHead extends Head {
  readonly chain: string;
  /** Whether our key signed it; asked only where it matters, since a file may hold very many. */
  isSigned(): boolean;
}

/**
 * The heads that are said to be signed by a key.
 * @throws FaultError `config`: the file cannot be read, or has none of them: an anchor without heads proves nothing.
 */
export async function readAnchor(file: string, key: KeyObject): Promise<AnchoredHead[]> {
  const keyId = toKeyId(key);
  const heads: AnchoredHead[] = [];
  try {
    for await (const lines of readLines(file, 0))
      heads.push(...lines.flatMap(({ line }) => toHead(line, keyId, key) ?? []));
  } catch (cause) {
    throw new FaultError(
      'config',
      `The anchor ${file} cannot be read (${codeOf(cause)}). It is made when Sallyport seals records for the first time.`,
      { cause },
    );
  }
  if (heads.length === 0)
    throw new FaultError('config', `The anchor ${file} has no head that was signed with the key ${keyId}.`);
  return heads;
}

function toHead(line: string, keyId: string, key: KeyObject): AnchoredHead | undefined {
  // Whatever else is in the file is not for us.
  if (!line.includes(keyId)) return undefined;
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['key'] !== keyId) return undefined;
  const { chain, seq, hash } = value;
  if (typeof chain !== 'string' || typeof seq !== 'number' || typeof hash !== 'string') return undefined;
  return { chain, seq, hash, isSigned: () => isSealed(Buffer.from(line), key) };
}

/** Only appended to, so that the file may be one that allows nothing else. */
async function append(path: string, line: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    await file.write(`${line}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Without a shell; the line comes on its standard input. */
function run(command: string, line: string): Promise<void> {
  const [program = '', ...args] = command.trim().split(/\s+/);
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { timeout: ANSWER_MS, killSignal: 'SIGKILL' }, (error) => {
      if (error === null) resolve();
      // The error of execFile holds what the program printed.
      else reject(new Error(error.killed === true ? 'it did not end in time' : `it ended with ${String(error.code)}`));
    });
    // A program that reads nothing breaks the pipe; how it ends is what counts.
    child.stdin?.on('error', () => undefined).end(`${line}\n`);
  });
}
