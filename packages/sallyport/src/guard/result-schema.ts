import { type Envelope, toolOf } from '../core/envelope.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';
import { type SchemaChecker, VALIDATION_DEADLINE_MS, type Validation } from './schema/schema-checker.ts';

/** In `_meta` of a result that does not keep the promise of its tool's output schema. */
export const RESULT_SCHEMA_MARK = 'dev.sallyport/resultSchema';

/**
 * Structured results must match the tool's output schema. A mismatch is labelled, not hidden: the effect has happened, and whoever
 * reads the result must know both. A result that could not be validated stays as it is; the record says so.
 */
export function resultSchema(checker: Pick<SchemaChecker, 'validate'>): Guard {
  return {
    name: 'result-schema',
    kinds: ['result'],
    deadlineMs: VALIDATION_DEADLINE_MS,
    reads: (call) => isObject(member(toolOf(call).definition, 'outputSchema')),
    judge(envelope) {
      const { body: result, client } = envelope;
      if (!promisesStructure(result)) return ALLOW;
      const structured = member(result, 'structuredContent');
      if (structured === undefined) return mark(result, ['"structuredContent" is missing']);
      const validation = checker.validate({ tool: toolOf(envelope), client }, 'outputSchema', structured);
      if (validation instanceof Promise) return validation.then((late) => toVerdict(envelope, late));
      return toVerdict(envelope, validation);
    },
  };
}

/**
 * A finished result that is no error (MCP tools#output-schema). A result that asks for input, or stands for a task, has
 * no structure yet.
 */
function promisesStructure(result: JsonObject): boolean {
  const type = member(result, 'resultType');
  if (type !== undefined && type !== 'complete') return false;
  if (member(result, 'isError') === true) return false;
  return Object.hasOwn(result, 'content') || Object.hasOwn(result, 'structuredContent');
}

function toVerdict({ notes, body: result }: Envelope, validation: Validation): Verdict {
  if (validation.kind === 'valid') return ALLOW;
  if (validation.kind === 'invalid') return mark(result, validation.problems);
  if (notes !== undefined) {
    const { notValidated: before } = notes;
    notes.notValidated = `${before === undefined ? '' : `${before}; `}outputSchema ${validation.reason}`;
  }
  return ALLOW;
}

function mark(result: JsonObject, problems: readonly string[]): Verdict {
  const meta = member(result, '_meta');
  return {
    kind: 'rewrite',
    value: { ...result, _meta: { ...(isObject(meta) ? meta : {}), [RESULT_SCHEMA_MARK]: { valid: false, problems } } },
    reason: `The result does not match the tool's outputSchema: ${problems.join('; ')}.`,
  };
}
