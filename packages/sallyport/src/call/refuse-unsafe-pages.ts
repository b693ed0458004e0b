import { FaultError } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import { findSecretQuestion } from '../guard/approve/elicitation-secrets.ts';

/** 2025-11-25 elicitation#error-handling: the request goes on once a person has been at these pages. */
const URL_ELICITATION_REQUIRED = -32042;

/**
 * A server may also ask by an error: the client opens the pages that it names. They are looked at as any other question.
 * @throws FaultError `denied`.
 */
export function refuseUnsafePages(answer: Answer): void {
  if (answer.errorCode !== URL_ELICITATION_REQUIRED || answer.outcome.kind !== 'error') return;
  const asked = member(answer.outcome.error.data, 'elicitations');
  // What cannot be read as a list of pages, some client may read in a way of its own.
  const pages = asked === undefined ? [] : Array.isArray(asked) ? asked : [undefined];
  for (const page of pages) {
    const refused = findSecretQuestion('elicitation/create', { ...(isObject(page) ? page : {}), mode: 'url' });
    if (refused !== undefined) throw new FaultError('denied', refused);
  }
}
