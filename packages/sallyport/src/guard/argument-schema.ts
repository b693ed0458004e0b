import type { Call } from '../core/call.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';
import type { SchemaChecker, Validation } from './schema/schema-checker.ts';

/** Arguments must match the tool's input schema. Defaults are not filled in and types not coerced: nothing is changed. */
export function argumentSchema(checker: Pick<SchemaChecker, 'validate'>): Guard {
  return {
    name: 'argument-schema',
    request(call) {
      const validation = checker.validate(call.tool, 'inputSchema', call.arguments);
      if (validation instanceof Promise) return validation.then((late) => toVerdict(call, late));
      return validation.kind === 'valid' ? ALLOW : toVerdict(call, validation);
    },
  };
}

function toVerdict({ tool }: Call, validation: Validation): Verdict {
  const name = tool.publicName.slice(0, 128);
  if (validation.kind === 'valid') return ALLOW;
  if (validation.kind === 'invalid')
    return {
      kind: 'deny',
      code: 'schema',
      reason: `Invalid arguments: they do not match the inputSchema of "${name}": ${validation.problems.join('; ')}. Correct them and call again.`,
    };
  // Fail closed: arguments nobody could check are not passed on.
  return {
    kind: 'deny',
    code: 'denied',
    reason: `The arguments could not be checked: the inputSchema of "${name}" ${validation.reason}. The call was stopped; use another tool, or ask the operator.`,
  };
}
