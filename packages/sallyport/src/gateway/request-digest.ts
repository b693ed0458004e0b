import { createHash } from 'node:crypto';
import { isObject } from '../core/json.ts';
import type { Request } from '../core/message.ts';

/** What makes a retry the same request: method and params without what changes from round to round. */
export function toRequestDigest(request: Request): string {
  const { _meta, requestState, inputResponses, ...rest } = request.params;
  return createHash('sha256').update(request.method).update('\0').update(sorted(rest)).digest('hex');
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
