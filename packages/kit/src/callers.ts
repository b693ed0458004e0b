import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { DefinitionError } from './definition-error.ts';

/**
 * Who sends a request over HTTP: an id that is the same each time, or `undefined` for somebody who may not.
 * Rate limits, idempotency keys, sessions and tasks are those of one caller.
 */
export type Authenticate = (request: IncomingMessage) => string | undefined | Promise<string | undefined>;

/** Where `name=key` of each caller is. */
export const KEYS = 'KIT_KEYS';
const MIN_KEY = 16;
const BEARER = /^Bearer (\S+)$/i;
const PROBLEM_OF_KEYS = `Write name=key for each caller, separated by commas, with keys of ${MIN_KEY} or more characters: ${KEYS}="ada=$(openssl rand -hex 32)".`;

/**
 * Takes keys as `Authorization: Bearer KEY`.
 * @param text `name=key`, separated by commas or white space
 * @throws DefinitionError, which shows no key
 */
export function authenticateByKeys(text: string): Authenticate {
  const callers = new Map<string, string>();
  for (const [index, entry] of text.split(/[\s,]/).filter(Boolean).entries()) {
    const at = entry.indexOf('=');
    const key = toDigest(entry.slice(at + 1));
    if (at < 1 || entry.length - at - 1 < MIN_KEY || callers.has(key))
      throw new DefinitionError(
        KEYS,
        `entry ${index + 1} is not name=key, or its key is short or used twice.`,
        PROBLEM_OF_KEYS,
      );
    callers.set(key, entry.slice(0, at));
  }
  if (callers.size === 0) throw new DefinitionError(KEYS, 'there is no key in it.', PROBLEM_OF_KEYS);
  return ({ headers }) => {
    const key = BEARER.exec(headers.authorization ?? '')?.[1];
    // Looked up by digest: how long it takes says nothing about a key.
    return key === undefined ? undefined : callers.get(toDigest(key));
  };
}

/** @throws Error where anybody in the network could call */
export function assertHostIsSafe(host: string, authenticate: Authenticate | undefined): void {
  const isLoopback = host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
  if (isLoopback || authenticate !== undefined) return;
  throw new Error(
    `At ${host} everybody in the network could call this server. ${PROBLEM_OF_KEYS} Or give serve() a function \`authenticate\`.`,
  );
}

function toDigest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
