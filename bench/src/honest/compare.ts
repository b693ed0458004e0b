import { isDeepStrictEqual } from 'node:util';
import type { RpcAnswer } from './mcp-client.ts';

/** What became of one honest call. */
export type Outcome =
  | { readonly kind: 'same' }
  /** The server's own content came, and one more text before it. */
  | { readonly kind: 'warned'; readonly reason: string }
  /** What came differs from what the server said. */
  | { readonly kind: 'altered'; readonly reason: string }
  /** The server answered, and its answer was not handed out. */
  | { readonly kind: 'withheld'; readonly reason: string }
  /** The call did not run: a person has to approve it. */
  | { readonly kind: 'asked'; readonly reason: string }
  /** The call did not run, and nobody can approve it. */
  | { readonly kind: 'refused'; readonly reason: string };

const VERDICT = 'dev.sallyport/verdict';

/** Compares the answer a client received with the one its server gave, undefined where the server was not reached. */
export function compareAnswers(received: RpcAnswer, own: RpcAnswer | undefined): Outcome {
  const verdict = verdictOf(received);
  if (verdict !== undefined) {
    const reason = `${String(verdict['guard'] ?? '')}: ${String(verdict['reason'] ?? '')}`;
    if (own !== undefined) return { kind: 'withheld', reason };
    return verdict['kind'] === 'ask' ? { kind: 'asked', reason } : { kind: 'refused', reason };
  }
  if (own === undefined) return { kind: 'refused', reason: describeError(received) };
  if (own.error !== undefined || received.error !== undefined) {
    const same = own.error?.code === received.error?.code && own.error?.message === received.error?.message;
    return same
      ? { kind: 'same' }
      : { kind: 'altered', reason: `error ${describeError(own)} became ${describeError(received)}` };
  }
  return compareResults(received.result ?? {}, own.result ?? {});
}

function compareResults(received: Record<string, unknown>, own: Record<string, unknown>): Outcome {
  for (const member of ['structuredContent', 'contents', 'isError']) {
    if (!isDeepStrictEqual(received[member], own[member]))
      return { kind: 'altered', reason: `${member}: ${describeDifference(own[member], received[member])}` };
  }
  if (isDeepStrictEqual(received['content'], own['content'])) return { kind: 'same' };
  const [first, ...rest] = (received['content'] as unknown[] | undefined) ?? [];
  if (isText(first) && isDeepStrictEqual(rest, own['content'])) return { kind: 'warned', reason: first.text };
  return { kind: 'altered', reason: describeDifference(own['content'], received['content']) };
}

function isText(item: unknown): item is { readonly text: string } {
  return typeof item === 'object' && item !== null && 'type' in item && item.type === 'text' && 'text' in item;
}

function verdictOf({ result, error }: RpcAnswer): Record<string, unknown> | undefined {
  const places = [result?.['_meta'], error?.data];
  for (const place of places) {
    if (typeof place === 'object' && place !== null && VERDICT in place)
      return (place as Record<string, Record<string, unknown>>)[VERDICT];
  }
  return undefined;
}

function describeError({ error, result }: RpcAnswer): string {
  if (error !== undefined) return `${error.code} ${error.message}`;
  return JSON.stringify(result?.['content'] ?? result).slice(0, 300);
}

/** The place where two values begin to differ, from both. */
function describeDifference(own: unknown, received: unknown): string {
  const [before, after] = [JSON.stringify(own) ?? 'nothing', JSON.stringify(received) ?? 'nothing'];
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - 40);
  return `${before.slice(from, at + 80)} became ${after.slice(from, at + 80)}`;
}
