import type { Call, Tool } from '../../core/call.ts';
import { matchesGlob } from '../../core/glob.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { type Of, snapshotOf } from '../snapshot-of.ts';

const ASK: Verdict = Object.freeze({
  kind: 'ask',
  reason: 'The operator wants a person to look at every call of this tool.',
});

/** Calls of the tools that `approvals.asks` names ask a person: globs over `<server>/<tool>`, the server's own names. */
export function asks(globs: Of<readonly string[]>): Guard {
  let known: readonly string[] | undefined;
  let verdicts = new WeakMap<Tool, Verdict>();
  return {
    name: 'asks',
    request(call: Call) {
      const now = globs(snapshotOf(call));
      if (now !== known) {
        known = now;
        verdicts = new WeakMap();
      }
      if (now.length === 0) return ALLOW;
      let verdict = verdicts.get(call.tool);
      if (verdict === undefined) {
        const name = `${call.tool.upstream}/${call.tool.name}`;
        verdict = now.some((glob) => matchesGlob(glob, name)) ? ASK : ALLOW;
        verdicts.set(call.tool, verdict);
      }
      return verdict;
    },
  };
}
