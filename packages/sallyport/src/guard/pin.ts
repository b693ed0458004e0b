import type { Tool } from '../core/call.ts';
import { ALLOW } from '../core/verdict.ts';
import type { Guard } from './guard.ts';

/** Why a tool's definition may not be used, by what is approved at this moment; a look-up, because every call asks. */
export type WhyHeld = (tool: Tool) => string | undefined;

/**
 * Only approved definitions: a tool that was changed after it was listed is refused although the caller, and its view of
 * the catalogue, still know the old one.
 */
export function pin(whyHeld: WhyHeld): Guard {
  return {
    name: 'pin',
    request({ tool }) {
      const reason = whyHeld(tool);
      return reason === undefined ? ALLOW : { kind: 'deny', code: 'denied', reason };
    },
  };
}
