import { isPage } from '../catalog/pins/define-item.ts';
import type { Snapshot } from '../config/settings.ts';
import type { CallSnapshot, Tool } from '../core/call.ts';
import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import type { Exchange, Vet } from '../core/exchange.ts';
import { type JsonObject, member } from '../core/json.ts';
import { Answer, Notification } from '../core/message.ts';
import { putBack, tokensOf } from '../guard/secrets/put-back.ts';
import { SaidBefore } from '../guard/secrets/said-before.ts';
import { maskResult, type SecretPorts, withoutSecrets } from '../guard/secrets/secrets.ts';
import { TOKEN_BEGIN } from '../guard/secrets/vault.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';

/** Puts masked values back where they came from, last of all: records and the people who are asked see tokens. */
export interface MaskedValues {
  /**
   * The arguments as the upstream gets them; `undefined`: as they are.
   * @throws FaultError `denied` when a value is not kept any longer.
   */
  toUpstream(call: Leaving, args: JsonObject): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** The answer as the caller gets it: with what was left out of its own arguments. */
  toCaller(call: Leaving, answer: Answer): Answer | Promise<Answer>;
  /**
   * What is no result of a call, as the client gets it: resources, prompts, results of tasks, errors.
   * @throws FaultError `denied` for what is withheld.
   */
  fromUpstream(from: Origin, client: Client, answer: Answer): Answer | Promise<Answer>;
  /** From now on what an upstream says while it works on a request is looked at: notifications and questions. */
  watch(from: Origin, exchange: Exchange): void;
  /** A notification without secrets; `undefined`: they cannot be taken out. */
  notification(from: Origin, notification: Notification): Notification | undefined;
  /** A fault whose message quotes an upstream. */
  fault(from: Origin, fault: FaultError): FaultError;
}

/** A call, or what else goes to a server. */
export interface Leaving {
  readonly client: Client;
  readonly tool: Pick<Tool, 'upstream'>;
  readonly snapshot: CallSnapshot;
}

/** Who says or asks something, and in which tool, prompt or resource of its own. */
export interface Origin {
  readonly upstream: string;
  /** Name or URI at the upstream. */
  readonly item: string;
  /** Of the request it belongs to; left out: it belongs to none. */
  readonly snapshot?: Snapshot | undefined;
}

export function createMaskedValues(ports: SecretPorts): MaskedValues {
  const { settings, vault } = ports;
  const toTold = (
    { upstream, item, snapshot }: Origin,
    given: Notification,
    before?: SaidBefore,
  ): Notification | undefined => {
    const { params, method } = given;
    if (settings(snapshot) === undefined || params === undefined) return given;
    const earlier = before === undefined ? {} : { before: before.texts };
    const { value, isWithheld } = withoutSecrets(ports, params, { upstream, name: item, snapshot, ...earlier });
    if (isWithheld) return undefined;
    before?.note(value);
    // The token of progress is the client's own.
    const { progressToken } = params;
    if (value === params) return given;
    return Notification.of(method, progressToken === undefined ? value : { ...value, progressToken });
  };
  return {
    watch(from, exchange) {
      const { upstream, item: name, snapshot } = from;
      if (settings(snapshot) === undefined) return;
      const before = new SaidBefore();
      exchange.tell = (notification) => toTold(from, notification, before);
      const { vet } = exchange;
      const look: Vet = (method, params) => {
        // A page that is opened for the answer has a token of its own in its address.
        const { url: _, ...said } = params;
        const { value } = withoutSecrets(ports, said, { upstream, name, snapshot });
        if (value !== said)
          throw new FaultError('denied', `The question of "${upstream}" is not put to the client: it holds a secret.`);
        return vet?.(method, params);
      };
      exchange.vet = look;
    },
    notification: (from, notification) => toTold(from, notification),
    fault({ upstream, item, snapshot }, fault) {
      if (settings(snapshot) === undefined) return fault;
      const { message, data, code } = fault;
      const said: JsonObject = { message, ...(data === undefined ? {} : { data }) };
      const { value, isWithheld } = withoutSecrets(ports, said, { upstream, name: item, snapshot });
      if (value === said) return fault;
      // Without its cause, which may say the same.
      const text = isWithheld
        ? `"${upstream}" failed, and what it said is withheld.`
        : String(member(value, 'message'));
      const left = isWithheld ? undefined : member(value, 'data');
      return new FaultError(code, text, left === undefined ? {} : { data: left });
    },
    toUpstream(leaving, args) {
      const { client, tool } = leaving;
      if (settings(snapshotOf(leaving)) === undefined || tokensOf(args).length === 0) return undefined;
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
    toCaller(leaving, answer) {
      const { client, tool } = leaving;
      if (settings(snapshotOf(leaving)) === undefined || !answer.isResult || !answer.source.includes(TOKEN_BEGIN))
        return answer;
      const { result } = answer;
      if (result === undefined) return answer;
      const written = putBack(result, {
        ...{ vault, owner: client.principal.id },
        mayHave: (secret) => secret.from === 'caller' && secret.upstream === tool.upstream,
      });
      const write = (value: JsonObject | undefined) => (value === undefined ? answer : answer.withResult(value));
      return written instanceof Promise ? written.then(write) : write(written);
    },
    fromUpstream({ upstream, item, snapshot }, client, answer) {
      // Pages of tools are held to what was approved, every byte of them.
      if (settings(snapshot) === undefined || isPage(item)) return answer;
      const given = answer.isResult ? answer.result : toErrorObject(answer);
      if (given === undefined) return answer;
      const tool = { upstream, name: item };
      const masked = maskResult(ports, given, { tool, owner: client.principal.id, marked: [], snapshot });
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
