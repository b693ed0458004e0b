import { trimSchema } from '../../catalog/cards/trim-schema.ts';
import { isObject, member } from '../../core/json.ts';
import type { Answer } from '../../core/message.ts';
import type { Inbound } from '../inbound.ts';
import { verdictOf } from '../refusal.ts';

/** A model corrects its call with less. */
const MAX_TOKENS = 600;

/**
 * The answer to a call whose arguments do not match their schema, with the part of the schema that says what does: a model
 * that found the tool by search may not have read it.
 */
export function withSchema({ view, request }: Inbound, answer: Answer): Answer {
  const verdict = verdictOf(answer);
  if (member(verdict, 'guard') !== 'argument-schema' || member(verdict, 'code') !== 'schema') return answer;
  const { result } = answer;
  const content = member(result, 'content');
  const schema = member(view.tool(String(request.params['name']))?.definition, 'inputSchema');
  if (result === undefined || !Array.isArray(content) || !isObject(schema)) return answer;
  const only = namesIn(String(member(verdict, 'reason')));
  const { schema: part } = trimSchema(schema, { tokens: MAX_TOKENS, only });
  return answer.withResult({ ...result, content: [...content, { type: 'text', text: JSON.stringify(part) }] });
}

/** The arguments that a problem is in: its sentence begins with the path of the value, in quotes. */
function namesIn(reason: string): ReadonlySet<string> {
  return new Set([...reason.matchAll(/"([^".[]{1,120})/g)].map(([, name = '']) => name));
}
