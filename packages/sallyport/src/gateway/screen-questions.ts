import { answerWithoutWords, hideNews } from '../call/kept-servers.ts';
import type { TextDoor } from '../call/text-door.ts';
import { toDeclined } from '../call/vet-answers.ts';
import { FaultError } from '../core/errors.ts';
import type { VetAnswer } from '../core/exchange.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { Answer, type Notification } from '../core/message.ts';
import { findSecretQuestion } from '../guard/approve/elicitation-secrets.ts';
import type { GatewayPorts } from './ports.ts';

/**
 * One question of an upstream on its way to a client.
 * @throws FaultError `denied` for a form that asks for a secret; the upstream gets the reason as its answer.
 */
export function screenQuestion(method: string, params: JsonObject): void {
  const refused = findSecretQuestion(method, params);
  if (refused !== undefined) throw deny(refused);
}

/**
 * A round of questions (`input_required`). When one of them asks for a secret, no client sees any: each form of the
 * round is declined, with the reason, and the upstream may go on without.
 * @returns the answers, or `undefined` for a round that may be put to the client
 * @throws FaultError `denied` where a question of the round cannot be declined.
 */
export function screenRound(inputRequests: JsonObject): JsonObject | undefined {
  const questions = Object.entries(inputRequests).map(([key, input]) => {
    const params = member(input, 'params');
    return { key, method: String(member(input, 'method')), params: isObject(params) ? params : {} };
  });
  const reason = questions.map(({ method, params }) => findSecretQuestion(method, params)).find((one) => one);
  if (reason === undefined) return undefined;
  if (questions.some(({ method }) => method !== 'elicitation/create')) throw deny(reason);
  return Object.fromEntries(questions.map(({ key, method }) => [key, toDeclined(method, reason)]));
}

/**
 * What the client answered to one question, as it may go to the server; a form that is stopped was declined.
 * @throws FaultError `denied`: the server gets it as the answer.
 */
export async function screenAnswer(vetAnswer: VetAnswer, method: string, answer: Answer): Promise<Answer> {
  const { outcome } = answer;
  const { message, data } = outcome.kind === 'error' ? outcome.error : { message: '', data: undefined };
  const given = outcome.kind === 'result' ? outcome.result : { message, ...(data === undefined ? {} : { data }) };
  const passage = await vetAnswer(method, given);
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
export async function screenAnswers(
  vetAnswer: VetAnswer,
  inputRequests: JsonObject,
  answers: JsonObject,
): Promise<JsonObject> {
  const passed: [string, JsonObject[string]][] = [];
  for (const [key, answer] of Object.entries(answers)) {
    const method = String(member(member(inputRequests, key), 'method'));
    const given = isObject(answer) ? answer : { [key]: answer };
    const passage = await vetAnswer(method, given);
    const sent = passage.kind === 'pass' ? passage.answer : toDeclined(method, passage.told);
    if (passage.kind === 'stop' && sent === undefined) throw passage.fault;
    passed.push([key, sent === given ? answer : sent]);
  }
  return Object.fromEntries(passed);
}

/**
 * The news of a task may hold its questions (SEP-2663). Those that are looked at before they are put to anybody are not put
 * this way: the client hears nothing, and finds them where it asks for the task itself.
 */
export function mayTell({ params }: Notification): boolean {
  const asked = member(params, 'inputRequests');
  if (!isObject(asked)) return true;
  return Object.values(asked).every((question) => {
    const method = String(member(question, 'method'));
    const given = member(question, 'params');
    return method !== 'sampling/createMessage' && !findSecretQuestion(method, isObject(given) ? given : {});
  });
}

/** News of an upstream as a client gets it; `undefined`: it does not. */
export function toTold(
  { masked, snapshot }: Pick<GatewayPorts, 'masked' | 'snapshot'>,
  { upstream, notification: said }: { readonly upstream: string; readonly notification: Notification },
): Notification | undefined {
  const notification = hideNews(snapshot(), { upstream, notification: said });
  if (notification === undefined || !mayTell(notification)) return undefined;
  return masked === undefined
    ? notification
    : masked.notification({ upstream, item: notification.method }, notification);
}

/** The same, read for what it says to a model. */
export function toHeard(
  texts: Pick<TextDoor, 'notice'> | undefined,
  told: Notification | undefined,
  { upstream, client }: { readonly upstream: string; readonly client: string },
): Notification | undefined {
  return told === undefined || texts === undefined ? told : texts.notice(upstream, client, told);
}

/** An upstream's own answer to what is no call, as its answers to calls are shown. */
export async function readAnswer(
  { texts, snapshot }: Pick<GatewayPorts, 'texts' | 'snapshot'>,
  upstream: string,
  answering: Promise<Answer>,
): Promise<Answer> {
  const answer = await answerWithoutWords(snapshot(), upstream, answering);
  return texts?.treat({ upstream, item: undefined }, answer) ?? answer;
}

/** Marked as every refusal of a guard is, so that programs can tell it from the client's own no. */
function deny(reason: string): FaultError {
  const verdict = { kind: 'deny', code: 'denied', guard: 'elicitation', reason };
  return new FaultError('denied', reason, { data: { 'dev.sallyport/verdict': verdict } });
}
