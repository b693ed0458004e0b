import { answerWithoutWords, hideNews } from '../call/kept-servers.ts';
import type { TextDoor } from '../call/text-door.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import type { Answer, Notification } from '../core/message.ts';
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
  const declined = { action: 'decline', _meta: { 'dev.sallyport/refused': reason } };
  return Object.fromEntries(questions.map(({ key }) => [key, declined]));
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
  return texts?.treat(upstream, undefined, answer) ?? answer;
}

/** Marked as every refusal of a guard is, so that programs can tell it from the client's own no. */
function deny(reason: string): FaultError {
  const verdict = { kind: 'deny', code: 'denied', guard: 'elicitation', reason };
  return new FaultError('denied', reason, { data: { 'dev.sallyport/verdict': verdict } });
}
