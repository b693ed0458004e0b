import type { Call } from '../core/call.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import { putBack, tokensOf } from '../guard/secrets/put-back.ts';
import type { SecretPorts } from '../guard/secrets/secrets.ts';

/** Puts masked values back where they came from, last of all: records and the people who are asked see tokens. */
export interface MaskedValues {
  /**
   * The arguments as the upstream gets them; `undefined`: as they are.
   * @throws FaultError `denied` when a value is not kept any longer.
   */
  toUpstream(call: Call, args: JsonObject): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** The answer as the caller gets it: with what was left out of its own arguments. */
  toCaller(call: Call, answer: Answer): Answer | Promise<Answer>;
}

const BEGIN = Buffer.from('{{secret:');

export function createMaskedValues({ settings, vault }: SecretPorts): MaskedValues {
  return {
    toUpstream({ client, tool }, args) {
      if (settings() === undefined || tokensOf(args).length === 0) return undefined;
      let isWhole = true;
      const written = putBack(args, {
        ...{ vault, owner: client.principal.id },
        mayHave: (secret) => secret.from === 'upstream' && secret.upstream === tool.upstream,
        onMissing: () => {
          isWhole = false;
        },
      });
      const check = (value: JsonObject | undefined) => {
        if (isWhole) return value;
        // It was there when the guard looked; sent as it is, the token would be stored in place of the value.
        throw new FaultError('denied', 'A masked value is not kept any longer. Call the tool it came from again.');
      };
      return written instanceof Promise ? written.then(check) : check(written);
    },
    toCaller({ client, tool }, answer) {
      if (settings() === undefined || !answer.isResult || !answer.bytes.includes(BEGIN)) return answer;
      const { result } = answer;
      if (result === undefined) return answer;
      const written = putBack(result, {
        ...{ vault, owner: client.principal.id },
        mayHave: (secret) => secret.from === 'caller' && secret.upstream === tool.upstream,
      });
      const write = (value: JsonObject | undefined) => (value === undefined ? answer : answer.withResult(value));
      return written instanceof Promise ? written.then(write) : write(written);
    },
  };
}
