import type { FrozenSnapshot } from '../../core/envelope.ts';
import { matchesGlob } from '../../core/glob.ts';
import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { findSecretQuestion } from './elicitation-secrets.ts';

const ELICITATION = 'elicitation/create';
const SAMPLING = 'sampling/createMessage';

/** A form that asks for a secret is not put to a person, nor is an unsafe page, whichever way the server asks (requirement G15). */
export function elicitation(): Guard {
  return {
    name: 'elicitation',
    kinds: ['server_request', 'server_notification', 'error'],
    judge({ kind, target, body }) {
      if (kind === 'server_request') return refuse(findSecretQuestion(target, body));
      if (kind === 'error') return refuse(findUnsafePage(body));
      // The client finds them where it asks for the task itself, once they were looked at.
      const asked = member(body, 'inputRequests');
      const isHeld = isObject(asked) && Object.values(asked).some(isLookedAt);
      return isHeld ? refuse('The notification of a task holds questions that are looked at first.') : ALLOW;
    },
  };
}

function refuse(reason: string | undefined): Verdict {
  return reason === undefined ? ALLOW : { kind: 'deny', code: 'denied', reason };
}

function isLookedAt(question: Json | undefined): boolean {
  const method = String(member(question, 'method'));
  const params = member(question, 'params');
  return method === SAMPLING || findSecretQuestion(method, isObject(params) ? params : {}) !== undefined;
}

/** 2025-11-25 elicitation#error-handling: the request goes on once a person has been at these pages. */
const URL_ELICITATION_REQUIRED = -32042;

/** A server may also ask by an error: the client opens the pages that it names. */
function findUnsafePage({ code, data }: JsonObject): string | undefined {
  if (code !== URL_ELICITATION_REQUIRED) return undefined;
  const asked = member(data, 'elicitations');
  // What cannot be read as a list of pages, some client may read in a way of its own.
  const pages: readonly unknown[] = asked === undefined ? [] : Array.isArray(asked) ? asked : [undefined];
  for (const page of pages) {
    const refused = findSecretQuestion(ELICITATION, { ...(isObject(page) ? page : {}), mode: 'url' });
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/**
 * Sampling lets a server write to the client's model, at the client's cost: where `approvals.sampling` names the server, a
 * person looks at each request first (MCP 2026-07-28 sampling: a human in the loop who may deny).
 */
export function sampling(globs: (snapshot: FrozenSnapshot) => readonly string[]): Guard {
  return {
    name: 'sampling',
    kinds: ['server_request'],
    isOn: (snapshot) => globs(snapshot).length > 0,
    judge({ snapshot, upstream, target, body }) {
      if (target !== SAMPLING || !globs(snapshot).some((glob) => matchesGlob(glob, upstream))) return ALLOW;
      const { _meta, ...about } = body;
      return { kind: 'ask', reason: `"${upstream}" wants the client's model to write something.`, about };
    },
  };
}
