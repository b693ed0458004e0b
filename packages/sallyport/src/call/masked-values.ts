import { isPage } from '../catalog/pins/define-item.ts';
import type { Call } from '../core/call.ts';
import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import { type JsonObject, member } from '../core/json.ts';
import { Answer } from '../core/message.ts';
import { putBack, tokensOf } from '../guard/secrets/put-back.ts';
import { maskResult, type SecretPorts } from '../guard/secrets/secrets.ts';

/** Puts masked values back where they came from, last of all: records and the people who are asked see tokens. */
export interface MaskedValues {
  /**
   * The arguments as the upstream gets them; `undefined`: as they are.
   * @throws FaultError `denied` when a value is not kept any longer.
   */
  toUpstream(call: Call, args: JsonObject): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** The answer as the caller gets it: with what was left out of its own arguments. */
  toCaller(call: Call, answer: Answer): Answer | Promise<Answer>;
  /**
   * What is no result of a call, as the client gets it: resources, prompts, results of tasks, errors.
   * @param item name or URI at the upstream
   * @throws FaultError `denied` for what is withheld.
   */
  fromUpstream(
    from: { readonly upstream: string; readonly item: string },
    client: Client,
    answer: Answer,
  ): Answer | Promise<Answer>;
}

const BEGIN = Buffer.from('{{secret:');

export function createMaskedValues(ports: SecretPorts): MaskedValues {
  const { settings, vault } = ports;
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
    fromUpstream({ upstream, item }, client, answer) {
      // Pages of tools are held to what was approved, every byte of them.
      if (settings() === undefined || isPage(item)) return answer;
      const given = answer.isResult ? answer.result : toErrorObject(answer);
      if (given === undefined) return answer;
      const tool = { upstream, name: item };
      const masked = maskResult(ports, given, { tool, owner: client.principal.id, marked: [] });
      if (masked === undefined) return answer;
      if (masked.kind === 'withheld')
        throw new FaultError('denied', `What "${upstream}" answered is withheld: it holds ${masked.what}.`);
      const write = (value: JsonObject) => (answer.isResult ? answer.withResult(value) : toError(answer, value));
      return masked.value instanceof Promise ? masked.value.then(write) : write(masked.value);
    },
  };
}

function toErrorObject({ outcome }: Answer): JsonObject | undefined {
  if (outcome.kind !== 'error') return undefined;
  const { message, data } = outcome.error;
  return { message, ...(data === undefined ? {} : { data }) };
}

function toError(answer: Answer, said: JsonObject): Answer {
  const message = member(said, 'message');
  return Answer.error(answer.id, answer.errorCode ?? -32603, String(message), member(said, 'data'));
}
