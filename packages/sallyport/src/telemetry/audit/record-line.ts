import { hash } from 'node:crypto';

/** The `prev` of the first record of a chain: SHA-256 of nothing would look like a digest of something. */
export const GENESIS = '0'.repeat(43);
/** Characters of a SHA-256 in base64url. */
export const HASH_LENGTH = 43;

/** Stands for a digest that is made when the record is chained: as long as one. */
export const NO_DIGEST = '-'.repeat(HASH_LENGTH);

const OPEN = '{"seq":';
const PREV = ',"prev":"';
const LINE_FEED = 0x0a;
const DIGIT_0 = 0x30;
/** From the beginning of `prev` to the values of `time` and of `kind`: `","time":"2026-01-02T03:04:05.678Z","kind":"`. */
const TIME_AT = HASH_LENGTH + '","time":"'.length;
const TIME_LENGTH = '2026-01-02T03:04:05.678Z'.length;
const KIND_AT = TIME_AT + TIME_LENGTH + '","kind":"'.length;

/** A record as it stands in its segment, without the line feed. `body` begins with `"time"` and ends with `}`. */
export function toLine(seq: number, prev: string, body: string): string {
  return `${OPEN}${seq}${PREV}${prev}",${body}`;
}

/** Where `prev` begins in the line of this number. */
export function prevAtOf(seq: number): number {
  return OPEN.length + String(seq).length + PREV.length;
}

/** Where the digest begins that is the last member of the line which ends at `end`. */
export function digestAtOf(end: number): number {
  return end - '"}'.length - HASH_LENGTH;
}

/** The hash the next record names as its `prev`: over the whole line, so nothing of a record is outside the chain. */
export function hashLine(line: string | Uint8Array): string {
  return hash('sha256', line, 'base64url');
}

/** Where one line stands and what it says of its place in the chain; the rest of it is not parsed. */
export interface LinePlace {
  readonly start: number;
  /** Of the line feed. */
  readonly end: number;
  readonly seq: number;
  /** Where `prev` begins. */
  readonly prevAt: number;
}

/** The line at `start`; `undefined`: no whole record stands there. */
export function readPlace(bytes: Buffer, start: number): LinePlace | undefined {
  const end = bytes.indexOf(LINE_FEED, start);
  if (end < 0 || bytes.toString('latin1', start, start + OPEN.length) !== OPEN) return undefined;
  let at = start + OPEN.length;
  let seq = 0;
  const digits = at;
  for (let byte = bytes[at]; byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_0 + 9; byte = bytes[++at])
    seq = seq * 10 + byte - DIGIT_0;
  if (at === digits || !Number.isSafeInteger(seq) || bytes.toString('latin1', at, at + PREV.length) !== PREV)
    return undefined;
  const prevAt = at + PREV.length;
  return prevAt + HASH_LENGTH < end ? { start, end, seq, prevAt } : undefined;
}

export function readPrev(bytes: Buffer, place: LinePlace): string {
  return bytes.toString('latin1', place.prevAt, place.prevAt + HASH_LENGTH);
}

/** `NaN`: no time stands there. */
export function readTime(bytes: Buffer, place: LinePlace): number {
  const at = place.prevAt + TIME_AT;
  return Date.parse(bytes.toString('latin1', at, at + TIME_LENGTH));
}

/** Whether this record is of a kind, e.g. `seal`, without parsing it. */
export function isKind(bytes: Buffer, place: LinePlace, kind: string): boolean {
  const at = place.prevAt + KIND_AT;
  if (bytes[at] !== kind.charCodeAt(0)) return false;
  return bytes.toString('latin1', at, at + kind.length + 1) === `${kind}"`;
}
