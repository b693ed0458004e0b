import type { Envelope } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { LARGE } from '../core/large-body.ts';
import type { Answer } from '../core/message.ts';
import { putBack, tokensOf } from '../guard/secrets/put-back.ts';
import { mayTakeOut, type SecretPorts } from '../guard/secrets/secrets.ts';
import { TOKEN_BEGIN } from '../guard/secrets/vault.ts';

/** Puts masked values back where they came from, last of all: records and the people who are asked see tokens. */
export interface MaskedValues {
  /**
   * What is sent, as the upstream gets it; `undefined`: as it is.
   * @throws FaultError `denied` when a value is not kept any longer.
   */
  toUpstream(envelope: Envelope, value: JsonObject): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** The answer as the caller gets it: with what was left out of its own arguments. */
  toCaller(asked: Envelope, answer: Answer): Answer | Promise<Answer>;
}

export function createMaskedValues({ settings, vault }: SecretPorts): MaskedValues {
  return {
    toUpstream({ client, upstream, snapshot }, value) {
      if (settings(snapshot) === undefined || tokensOf(value).length === 0) return undefined;
      let isWhole = true;
      const written = putBack(value, {
        ...{ vault, owner: client.principal.id },
        mayHave: (secret) => secret.from === 'upstream' && secret.upstream === upstream,
        onMissing: () => {
          isWhole = false;
        },
      });
      const check = (revealed: JsonObject | undefined) => {
        if (isWhole) return revealed;
        // It was there when the guard judged; sent as it is, the token would be stored in place of the value.
        throw new FaultError('denied', 'A masked value is not kept any longer. Call the tool it came from again.');
      };
      return written instanceof Promise ? written.then(check) : check(written);
    },
    toCaller({ client, upstream, snapshot }, answer) {
      const now = settings(snapshot);
      if (now === undefined || !answer.isResult || !answer.source.includes(TOKEN_BEGIN)) return answer;
      // A large answer is parsed only where something of the caller's can stand in it.
      if (answer.bytes.length >= LARGE && !mayTakeOut(now)) return answer;
      const { result } = answer;
      if (result === undefined) return answer;
      const written = putBack(result, {
        ...{ vault, owner: client.principal.id },
        mayHave: (secret) => secret.from === 'caller' && secret.upstream === upstream,
      });
      const write = (value: JsonObject | undefined) => (value === undefined ? answer : answer.withResult(value));
      return written instanceof Promise ? written.then(write) : write(written);
    },
  };
}
