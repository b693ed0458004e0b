import { type Envelope, toolOf } from '../core/envelope.ts';
import { ALLOW } from '../core/verdict.ts';
import type { Guard } from './guard.ts';

export interface VisibilityPorts {
  /** Is this tool there for this caller? What is not visible is not there: the answer must not tell the difference. */
  readonly isVisible: (call: Envelope) => boolean;
}

/** Tools that are not there for this caller, and tools that are disabled. */
export function visibility({ isVisible }: VisibilityPorts): Guard {
  return {
    name: 'visibility',
    kinds: ['call'],
    judge(call) {
      const tool = toolOf(call);
      const name = tool.publicName.slice(0, 128);
      if (isVisible(call) !== true)
        return { kind: 'deny', code: 'not_found', reason: `Unknown tool: ${name}. tools/list has the names.` };
      const { setAside } = tool;
      if (setAside === undefined) return ALLOW;
      return {
        kind: 'deny',
        code: 'denied',
        reason: `The tool ${name} is disabled: ${setAside}. Its server has to be repaired by a person (server ${tool.upstream}, tool ${tool.name.slice(0, 128)}). Use another tool, or tell the user.`,
      };
    },
  };
}
