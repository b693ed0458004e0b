import { createHash } from 'node:crypto';
import { FaultError } from '../core/errors.ts';
import type { ListKind } from './contract.ts';

/**
 * Where a page ended: by the identity of the items on both sides, so that items added or removed elsewhere neither
 * repeat nor skip anything; the index only serves when both are gone.
 */
export interface Position {
  readonly last: string;
  readonly next: string;
  readonly index: number;
}

/** A short stand-in for an item's identity: resource URIs can be long and would make the cursor long. */
export function toItemKey(upstream: string, id: string): string {
  return createHash('sha256').update(`${upstream}\0${id}`).digest('base64url').slice(0, 12);
}

export function toCursor(kind: ListKind, position: Position): string {
  return Buffer.from(JSON.stringify([kind, position.last, position.next, position.index])).toString('base64url');
}

/** @throws FaultError `invalid_params` for anything that `toCursor` did not write for this kind. */
export function fromCursor(kind: ListKind, cursor: string): Position {
  const position = readCursor(kind, cursor);
  if (position !== undefined) return position;
  throw new FaultError('invalid_params', 'The cursor is not one this list gave out. Start again without a cursor.');
}

/** `undefined`: `toCursor` did not write it for this kind. */
export function readCursor(kind: ListKind, cursor: string): Position | undefined {
  const parts = decode(cursor);
  if (Array.isArray(parts) && parts.length === 4) {
    const [writtenKind, last, next, index] = parts as unknown[];
    if (writtenKind === kind && typeof last === 'string' && typeof next === 'string' && isIndex(index)) {
      return { last, next, index };
    }
  }
  return undefined;
}

function decode(cursor: string): unknown {
  // Buffer.from skips characters outside the alphabet: what it reads may not be what was written.
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(cursor)) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
