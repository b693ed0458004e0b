import { randomFillSync } from 'node:crypto';
import { member } from '../core/json.ts';
import type { Request } from '../core/message.ts';

/** Where a call stands in a trace that began elsewhere (W3C Trace Context; SEP-414 carries it in `params._meta`). */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const KEY = 'traceparent';
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
/** A later version may append; nobody appends this much. */
const MAX_LENGTH = 256;

/** The context a request came with; `undefined` for none, and for one that is malformed: the specification says to begin anew. */
export function readTraceParent({ params }: Request): TraceParent | undefined {
  const written = member(member(params, '_meta'), KEY);
  if (typeof written !== 'string' || written.length > MAX_LENGTH) return undefined;
  const [, version, traceId = NO_TRACE, spanId = NO_SPAN, flags = '00', more] = FORM.exec(written) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The edit that makes our span the parent of whatever the receiver does; `tracestate` stays as it is. */
export function setTraceParent(request: Request, traceId: string, spanId: string) {
  return request.setInParam('_meta', KEY, `"00-${traceId}-${spanId}-01"`);
}

/** Random bytes are asked for in bulk: one system call serves 256 spans. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

/** @param bytes 16 for a trace, 8 for a span */
export function newTraceId(bytes: 8 | 16): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  const id = pool.toString('hex', used - bytes, used);
  return id === NO_TRACE || id === NO_SPAN ? newTraceId(bytes) : id;
}
