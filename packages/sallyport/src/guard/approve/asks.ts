import type { Tool } from '../../core/call.ts';
import { type FrozenSnapshot, toolOf } from '../../core/envelope.ts';
import { matchesGlob } from '../../core/glob.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';

const ASK: Verdict = Object.freeze({
  kind: 'ask',
  reason: 'The operator wants a person to look at every call of this tool.',
});

/** Calls of the tools that `approvals.asks` names ask a person: globs over `<server>/<tool>`, the server's own names. */
export function asks(globs: (snapshot: FrozenSnapshot) => readonly string[]): Guard {
  let known: readonly string[] | undefined;
  let verdicts = new WeakMap<Tool, Verdict>();
  return {
    name: 'asks',
    kinds: ['call'],
    isOn: (snapshot) => globs(snapshot).length > 0,
    judge(call) {
      const now = globs(call.snapshot);
      const tool = toolOf(call);
      if (now !== known) {
        known = now;
        verdicts = new WeakMap();
      }
      let verdict = verdicts.get(tool);
      if (verdict === undefined) {
        const name = `${tool.upstream}/${tool.name}`;
        verdict = now.some((glob) => matchesGlob(glob, name)) ? ASK : ALLOW;
        verdicts.set(tool, verdict);
      }
      return verdict;
    },
  };
}
