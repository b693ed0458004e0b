import type { Envelope } from '../../core/envelope.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { isPage } from '../../core/page-uri.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';

/** A server request that holds no words for a model: which folders there are. */
const WORDLESS = 'roots/list';

/** Members of notifications that are no text of the server: the token and the URI are the client's own. */
const KNOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ['notifications/progress', ['progressToken', 'progress', 'total']],
  ['notifications/resources/updated', ['uri']],
]);

/** Every way but results by which words of a server whose texts are kept would reach a client. None of them is open. */
export function withoutWords({ kind, upstream, target, body }: Envelope): Verdict {
  switch (kind) {
    case 'read':
      return isPage(target) ? deny(`Texts of "${upstream}" are kept, so that its pages cannot be shown.`) : ALLOW;
    case 'error':
      return {
        kind: 'rewrite',
        value: {
          ...(body['code'] === undefined ? {} : { code: body['code'] }),
          message: `"${upstream}" answered with an error, whose text is not shown.`,
        },
        reason: `Texts of "${upstream}" are kept.`,
      };
    // That it is followed says nothing.
    case 'contents':
      return { kind: 'rewrite', value: {}, reason: `Texts of "${upstream}" are kept.` };
    case 'server_request':
      return target === WORDLESS
        ? ALLOW
        : deny(`Texts of "${upstream}" are kept from the client, so that it may not ask.`);
    case 'server_notification':
      return keepKnown(upstream, target, body);
    default:
      return deny(
        `Texts of "${upstream}" are kept: it answers calls, and requests for its resources and prompts, and nothing else.`,
      );
  }
}

function keepKnown(upstream: string, method: string, params: JsonObject): Verdict {
  const known = KNOWN.get(method);
  if (known === undefined) return deny(`Texts of "${upstream}" are kept.`);
  const kept = known.flatMap((key): [string, Json][] => (params[key] === undefined ? [] : [[key, params[key]]]));
  return { kind: 'rewrite', value: Object.fromEntries(kept), reason: `Texts of "${upstream}" are kept.` };
}

function deny(reason: string): Verdict {
  return { kind: 'deny', code: 'denied', reason };
}
