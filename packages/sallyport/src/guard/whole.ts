import { type Envelope, NOTHING } from '../core/envelope.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import type { Verdict } from '../core/verdict.ts';

/**
 * Judges body and fixed members as one value. What is taken out of the body is taken out; where it is among the fixed
 * members nothing is sent.
 * @param judge gets an envelope whose body is the whole
 */
export function judgeWhole(
  envelope: Envelope,
  judge: (whole: Envelope) => Verdict | Promise<Verdict>,
): Verdict | Promise<Verdict> {
  if (isEmpty(envelope.fixed)) return judge(envelope);
  const settle = (verdict: Verdict): Verdict => {
    if (verdict.kind !== 'rewrite') return verdict;
    const { body, fixed } = fromWhole(verdict.value, envelope);
    return isSame(fixed, envelope.fixed)
      ? { ...verdict, value: body }
      : { kind: 'deny', code: 'denied', reason: `${NOTHING_LEFT_OUT}: ${verdict.reason}` };
  };
  const verdict = judge({ ...envelope, body: toWhole(envelope), fixed: NOTHING });
  return verdict instanceof Promise ? verdict.then(settle) : settle(verdict);
}

const NOTHING_LEFT_OUT = 'Nothing is sent, since nothing can be left out where it stands';

export type Carried = Pick<Envelope, 'body' | 'fixed'>;

/** Both as one, as rules about fields see it. What is fixed stands beside the body under a name that no member of it has. */
export function toWhole({ body, fixed }: Carried): JsonObject {
  if (isEmpty(fixed)) return body;
  return isEmpty(body) ? fixed : { ...body, [holderIn(body)]: fixed };
}

/** What {@link toWhole} made of `before`, with what was taken out of it, or put back. */
export function fromWhole(whole: JsonObject, { body: before, fixed }: Carried): Carried {
  if (isEmpty(fixed)) return { body: whole, fixed };
  if (isEmpty(before)) return { body: before, fixed: whole };
  const { [holderIn(before)]: held, ...body } = whole;
  return { body, fixed: isObject(held) ? held : NOTHING };
}

export function isSame(one: JsonObject, other: JsonObject): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function holderIn(body: JsonObject): string {
  let holder = 'request';
  while (Object.hasOwn(body, holder)) holder += '_';
  return holder;
}

export function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}
