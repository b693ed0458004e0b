import type { JsonObject } from './json.ts';

/** What a guard decides, always with a reason a person and a model can act on. */
export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'rewrite'; readonly value: JsonObject; readonly reason: string }
  | { readonly kind: 'ask'; readonly reason: string }
  | {
      readonly kind: 'deny';
      readonly reason: string;
      readonly code: 'denied' | 'schema' | 'not_found' | 'too_large' | 'invalid_params';
    };

export const ALLOW: Verdict = Object.freeze({ kind: 'allow' });
