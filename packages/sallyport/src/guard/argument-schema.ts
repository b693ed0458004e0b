import type { GatewaySettings } from '../config/settings.ts';
import { type Envelope, type FrozenSnapshot, toolOf } from '../core/envelope.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';
import { type SchemaChecker, VALIDATION_DEADLINE_MS, type Validation } from './schema/schema-checker.ts';

export interface ArgumentSchemaPorts {
  readonly checker: Pick<SchemaChecker, 'validate'>;
  /** What happens to arguments of tools whose input schema is unusable. */
  readonly unvalidated: (snapshot: FrozenSnapshot) => GatewaySettings['unvalidatedArguments'];
}

/** Arguments must match the tool's input schema. Defaults are not filled in and types not coerced: nothing is changed. */
export function argumentSchema({ checker, unvalidated }: ArgumentSchemaPorts): Guard {
  const toVerdict = (call: Envelope, validation: Validation): Verdict => {
    if (validation.kind === 'valid') return ALLOW;
    if (validation.kind === 'unusable' && unvalidated(call.snapshot) === 'allow') {
      if (call.notes !== undefined) call.notes.notValidated = `inputSchema ${validation.reason}`;
      return ALLOW;
    }
    return refuse(call, validation);
  };
  return {
    name: 'argument-schema',
    kinds: ['call', 'own'],
    deadlineMs: VALIDATION_DEADLINE_MS,
    judge(call) {
      const { client, body } = call;
      const validation = checker.validate({ tool: toolOf(call), client }, 'inputSchema', body);
      if (validation instanceof Promise) return validation.then((late) => toVerdict(call, late));
      return validation.kind === 'valid' ? ALLOW : toVerdict(call, validation);
    },
  };
}

function refuse({ publicTarget }: Envelope, validation: Exclude<Validation, { readonly kind: 'valid' }>): Verdict {
  const name = publicTarget.slice(0, 128);
  switch (validation.kind) {
    case 'invalid':
      return {
        kind: 'deny',
        code: 'schema',
        reason: `Invalid arguments: they do not match the inputSchema of "${name}": ${validation.problems.join('; ')}. Correct them and call again.`,
      };
    case 'unusable':
      return {
        kind: 'deny',
        code: 'denied',
        reason: `The arguments could not be validated: the inputSchema of "${name}" ${validation.reason}. The operator has such calls refused. Use another tool, or tell the user.`,
      };
    case 'unknown':
      // Fail closed: the schema works, and a value made to be slow must not be the way past it.
      return {
        kind: 'deny',
        code: 'denied',
        reason: `This call of "${name}" was refused, and nothing was sent: its arguments could not be validated, because the value ${validation.reason}. Other calls of this tool are served. Send fewer or shorter values, or call several times.`,
      };
  }
}
