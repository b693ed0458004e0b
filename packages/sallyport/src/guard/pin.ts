import type { Tool } from '../core/call.ts';
import { toolOf } from '../core/envelope.ts';
import type { JsonObject } from '../core/json.ts';
import { isPage } from '../core/page-uri.ts';
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
    kinds: ['call'],
    judge(call) {
      const reason = whyHeld(toolOf(call));
      return reason === undefined ? ALLOW : { kind: 'deny', code: 'denied', reason };
    },
  };
}

/** Why the content of a page of a tool is not the approved one; `undefined`: it is, or has been met for the first time. */
export type WhyPageHeld = (upstream: string, uri: string, result: JsonObject) => string | undefined;

/** A page that hosts show (`ui://`) is as much a definition as its tool: its content is pinned, too. */
export function pagePin(whyHeld: WhyPageHeld): Guard {
  return {
    name: 'page-pin',
    kinds: ['contents'],
    reads: ({ kind, target }) => kind === 'read' && isPage(target),
    judge({ upstream, target, body }) {
      const reason = whyHeld(upstream, target, body);
      if (reason !== undefined) return { kind: 'deny', code: 'denied', reason };
      // Written anew: of a member that stands twice the client would read another one than was judged.
      return { kind: 'rewrite', value: body, reason: 'A page is written as it was judged.' };
    },
  };
}
