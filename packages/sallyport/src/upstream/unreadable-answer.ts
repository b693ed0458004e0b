import { FaultError } from '../core/errors.ts';
import { objectMembers } from '../core/json-scan.ts';

/**
 * The request an unreadable message answers, if that much can be seen, and why it fails: it would wait for an answer that
 * has come. A line of a log that happens to have an id is no answer.
 */
export function toUnreadableAnswer(
  upstream: string,
  bytes: Buffer,
  cause: FaultError,
): { readonly id: number; readonly fault: FaultError } | undefined {
  const members = objectMembers(bytes, 0);
  const has = (key: string) => members.some((one) => one.key === key);
  if (!has('jsonrpc') || has('method') || !(has('result') || has('error'))) return undefined;
  const id = members.find((one) => one.key === 'id');
  const text = id === undefined ? '' : bytes.toString('latin1', id.start, id.end);
  if (!/^\d{1,15}$/.test(text)) return undefined;
  const reason = `"${upstream}" answered, but the answer cannot be read: ${cause.message}`;
  return { id: Number(text), fault: new FaultError('upstream_protocol', reason, { cause }) };
}
