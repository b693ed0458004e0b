import type { JsonObject } from './json.ts';
import type { SinkClass } from './sink.ts';

/** What a guard decides, always with a reason a person and a model can act on. */
export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'rewrite'; readonly value: JsonObject; readonly reason: string }
  /** `classes`: the effects a person is asked about; the operator may want two people for some of them. */
  | {
      readonly kind: 'ask';
      readonly reason: string;
      readonly classes?: readonly SinkClass[] | undefined;
      /** Left out: as many as the configuration says. */
      readonly people?: 2 | undefined;
      /**
       * It asks only because untrusted content was read, which has nothing to do with what the call is: whoever named the
       * values that decide it before has answered already.
       */
      readonly untrusted?: true | undefined;
      /** What a person is asked about, and agrees to, where that is not the body of the envelope. */
      readonly about?: JsonObject | undefined;
    }
  | {
      readonly kind: 'deny';
      readonly reason: string;
      readonly code: 'denied' | 'schema' | 'not_found' | 'too_large' | 'too_many' | 'invalid_params';
    };

export const ALLOW: Verdict = Object.freeze({ kind: 'allow' });
