import { FaultError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Outcome } from '../core/message.ts';
import type { Output } from './command.ts';
import type { Session } from './open-session.ts';

export type Refused = Extract<Outcome, { kind: 'error' }>['error'];

export type Listed =
  | { readonly kind: 'items'; readonly items: readonly JsonObject[] }
  | { readonly kind: 'refused'; readonly error: Refused };

export interface ListRules {
  readonly method: string;
  /** Where the items stand in the result. */
  readonly key: string;
}

export const TOOLS: ListRules = { method: 'tools/list', key: 'tools' };
export const RESOURCES: ListRules = { method: 'resources/list', key: 'resources' };
export const TEMPLATES: ListRules = { method: 'resources/templates/list', key: 'resourceTemplates' };
export const PROMPTS: ListRules = { method: 'prompts/list', key: 'prompts' };

const MAX_PAGES = 100;
const METHOD_NOT_FOUND = -32601;

/**
 * A list with all its pages; empty for a server that does not know the method.
 * @throws FaultError of the connection; `upstream_protocol` for an answer that is no list.
 */
export async function listItems(session: Session, { method, key }: ListRules): Promise<Listed> {
  const items: JsonObject[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const outcome = await session.request(method, cursor === undefined ? {} : { cursor });
    if (outcome.kind === 'error') {
      if (outcome.error.code === METHOD_NOT_FOUND) return { kind: 'items', items };
      return { kind: 'refused', error: outcome.error };
    }
    const found = member(outcome.result, key);
    if (!Array.isArray(found)) {
      throw new FaultError('upstream_protocol', `${session.server} answered ${method} without a list of ${key}.`);
    }
    items.push(...found.filter((item: Json) => isObject(item)));
    const next = member(outcome.result, 'nextCursor');
    if (typeof next !== 'string' || seen.has(next)) break;
    seen.add(next);
    cursor = next;
  }
  return { kind: 'items', items };
}

/** A server's own error as the result of a command. */
export function toRefusal(error: Refused): Output {
  const { code, message, data } = error;
  return {
    value: { error: { code, message, ...(data === undefined ? {} : { data }) } },
    text: '',
    remarks: [`The server answered with an error: ${message || 'no message'} (${code})`],
    exit: TOOL_ERROR,
  };
}

/** Exit code for "the server did its part and says no". */
export const TOOL_ERROR = 5;
