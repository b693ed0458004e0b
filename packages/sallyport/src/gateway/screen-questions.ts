import { toDeclined } from '../call/client-responses.ts';
import { isRefused } from '../call/refusal.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { Watch } from '../core/exchange.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { Answer } from '../core/message.ts';

/**
 * A round of server requests (`input_required`), one after the other: a person is asked about the next only when the one
 * before may be put. When one of them asks for a secret, no client sees any: each form of the round is declined, with the
 * reason, and the upstream may go on without.
 * @returns the answers, or `undefined` for a round that may be put to the client
 * @throws FaultError `denied` where a request of the round cannot be declined.
 */
export async function judgeRound(watch: Watch, inputRequests: JsonObject): Promise<JsonObject | undefined> {
  const asked = Object.entries(inputRequests).map(([key, input]) => {
    const params = member(input, 'params');
    return { key, method: String(member(input, 'method')), params: isObject(params) ? params : {} };
  });
  try {
    for (const { method, params } of asked) await watch.request(method, params);
    return undefined;
  } catch (error) {
    const fault = toFault(error);
    const declined = asked.map(({ key, method }) => [key, toDeclined(method, fault.message)] as const);
    if (isRefused(fault) !== 'elicitation' || declined.some(([, one]) => one === undefined)) throw fault;
    return Object.fromEntries(declined);
  }
}

/**
 * What the client answered to one question, as it may go to the server; a form that is stopped was declined.
 * @throws FaultError `denied`: the server gets it as the answer.
 */
export async function screenAnswer(watch: Watch, method: string, answer: Answer): Promise<Answer> {
  const { outcome } = answer;
  const { message, data } = outcome.kind === 'error' ? outcome.error : { message: '', data: undefined };
  const given = outcome.kind === 'result' ? outcome.result : { message, ...(data === undefined ? {} : { data }) };
  const passage = await watch.response(method, given);
  if (passage.kind === 'stop') {
    const declined = toDeclined(method, passage.told);
    if (declined === undefined) throw new FaultError('denied', passage.told);
    return Answer.result('0', declined);
  }
  if (passage.answer === given) return answer;
  if (outcome.kind === 'result') return answer.withResult(passage.answer);
  const said = passage.answer;
  return Answer.error('0', outcome.error.code, String(member(said, 'message')), member(said, 'data'));
}

/** The same for a round of answers. @throws FaultError `denied` for one that is no form: the client's request fails. */
export async function screenAnswers(watch: Watch, inputRequests: JsonObject, answers: JsonObject): Promise<JsonObject> {
  const passed: [string, JsonObject[string]][] = [];
  for (const [key, answer] of Object.entries(answers)) {
    const method = String(member(member(inputRequests, key), 'method'));
    const given = isObject(answer) ? answer : { [key]: answer };
    const passage = await watch.response(method, given);
    const sent = passage.kind === 'pass' ? passage.answer : toDeclined(method, passage.told);
    if (passage.kind === 'stop' && sent === undefined) throw passage.fault;
    passed.push([key, sent === given ? answer : sent]);
  }
  return Object.fromEntries(passed);
}
