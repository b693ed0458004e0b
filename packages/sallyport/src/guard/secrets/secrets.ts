import type { SecretMode, SecretSettings } from '../../config/secrets-section.ts';
import { definitionOf, type Envelope, type FrozenSnapshot } from '../../core/envelope.ts';
import type { JsonObject } from '../../core/json.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { judgeWhole } from '../whole.ts';
import { dropSecrets, maskSecrets } from './mask-secrets.ts';
import { tokensOf } from './put-back.ts';
import { SaidBefore } from './said-before.ts';
import { sensitiveFields } from './sensitive-fields.ts';
import type { KeptSecret, SecretVault } from './vault.ts';
import { describeSecrets, isWatched, type WeighedSecret, type WeighOptions, weighSecrets } from './weigh-secrets.ts';

export interface SecretPorts {
  /** `undefined`: nobody looks for secrets. */
  readonly settings: (snapshot: FrozenSnapshot) => SecretSettings | undefined;
  readonly vault: SecretVault;
}

/**
 * Secrets on their way out (requirement G6), those first that stay behind: a person who is asked about the rest sees what
 * is sent.
 */
export function secrets(ports: SecretPorts): readonly Guard[] {
  return [maskedOut(ports), stopped(ports)];
}

/** All that a client sends and a server reads. */
export const TO_SERVERS = [
  ...(['call', 'read', 'prompt', 'completion', 'task', 'request', 'subscription'] as const),
  ...(['client_response', 'client_notification'] as const),
];

function maskedOut({ settings, vault }: SecretPorts): Guard {
  return {
    name: 'secrets-masked',
    isReader: true,
    kinds: TO_SERVERS,
    isOn(snapshot) {
      const now = settings(snapshot);
      return now !== undefined && mayTakeOut(now);
    },
    judge(envelope) {
      const now = settings(envelope.snapshot);
      return now === undefined ? ALLOW : judgeWhole(envelope, (whole) => maskOut(whole, now, vault));
    },
  };
}

function maskOut(envelope: Envelope, settings: SecretSettings, vault: SecretVault): Verdict | Promise<Verdict> {
  const found = weigh(envelope, settings).filter(
    ({ mode, isSplit }) => !isSplit && (mode === 'mask' || mode === 'drop'),
  );
  if (found.length === 0) return ALLOW;
  const { upstream, body } = envelope;
  const owner = envelope.client.principal.id;
  const reason = `${describeSecrets(found)} left out on the way to "${upstream}".`;
  const masked = maskSecrets(body, found, { vault, owner, from: 'caller', upstream });
  if (masked instanceof Promise) return masked.then((value) => ({ kind: 'rewrite', value, reason }));
  return { kind: 'rewrite', value: masked, reason };
}

const takers = new WeakMap<SecretSettings, boolean>();

/** Is anything of arguments masked or dropped? */
export function mayTakeOut(settings: SecretSettings): boolean {
  let may = takers.get(settings);
  if (may === undefined) {
    const takesOut = (mode: SecretMode) => mode === 'mask' || mode === 'drop';
    may = Object.values(settings.arguments).some(takesOut) || settings.rules.some(({ mode }) => takesOut(mode));
    takers.set(settings, may);
  }
  return may;
}

function weigh(envelope: Envelope, settings: SecretSettings): readonly WeighedSecret[] {
  const { upstream, target, body } = envelope;
  const marked = sensitiveFields(definitionOf(envelope)).input;
  const tool = { upstream, name: target };
  return weighSecrets(body, { settings, direction: 'arguments', tool, marked, markedRoot: '' });
}

/**
 * What a result held and was masked may return to its own server and nowhere else; the values are put back after the record
 * is written (`call/call-tool.ts`), so that no record and no person who is asked sees them.
 */
function stopped({ settings, vault }: SecretPorts): Guard {
  return {
    name: 'secrets',
    isReader: true,
    kinds: TO_SERVERS,
    isOn: (snapshot) => settings(snapshot) !== undefined,
    judge(envelope) {
      const now = settings(envelope.snapshot);
      return now === undefined ? ALLOW : judgeWhole(envelope, (whole) => stop(whole, now, vault));
    },
  };
}

function stop(envelope: Envelope, settings: SecretSettings, vault: SecretVault): Verdict | Promise<Verdict> {
  const tokens = tokensOf(envelope.body);
  if (tokens.length === 0) return look(envelope, settings);
  if (envelope.kind === 'subscription' || envelope.kind === 'client_notification') return deny(NO_ANSWER);
  const ids = tokens.map(({ id }) => id);
  const found = vault.find(envelope.client.principal.id, ids);
  const judge = (kept: readonly (KeptSecret | undefined)[]) =>
    toTokenVerdict(kept, envelope, settings) ?? look(envelope, settings);
  return found instanceof Promise ? found.then(judge) : judge(found);
}

/** What is put back is masked again in the answer. */
const NO_ANSWER = 'What holds a masked value ({{secret:…}}) is read and called, not followed or told.';

/** Secrets in what servers send (requirement G6). Masked values of answers wait in the vault; what is said beside them is dropped. */
export function secretsInResult(ports: SecretPorts): Guard {
  return {
    name: 'secrets-in-result',
    isReader: true,
    kinds: ['result', 'contents', 'error', 'server_request', 'server_notification'],
    isOn(snapshot) {
      const now = ports.settings(snapshot);
      return now !== undefined && isWatched({ settings: now, direction: 'results' });
    },
    judge(envelope) {
      const now = ports.settings(envelope.snapshot);
      if (now === undefined) return ALLOW;
      if (envelope.kind === 'server_request') return refuseAsked(envelope, now);
      if (envelope.kind === 'server_notification') return dropSaid(envelope, now);
      return maskAnswer(envelope, now, ports.vault);
    },
  };
}

function maskAnswer(envelope: Envelope, settings: SecretSettings, vault: SecretVault): Verdict | Promise<Verdict> {
  const { client, upstream, body } = envelope;
  const marked = sensitiveFields(definitionOf(envelope)).output;
  const found = weighSaid(envelope, settings, marked);
  if (found.length === 0) return ALLOW;
  const what = describeSecrets(found);
  // What is in pieces cannot be taken out.
  if (found.some(isWithheld))
    return deny(`The result is withheld: it holds ${what}. Ask "${upstream}" for less, or tell the user.`);
  const reason = `The result held ${what}.`;
  const value = maskSecrets(body, found, { vault, owner: client.principal.id, from: 'upstream', upstream });
  if (value instanceof Promise) return value.then((done) => ({ kind: 'rewrite', value: done, reason }));
  return { kind: 'rewrite', value, reason };
}

/** A page that is opened for the answer has a token of its own in its address. */
function refuseAsked(envelope: Envelope, settings: SecretSettings): Verdict {
  const { url: _, ...said } = envelope.body;
  const found = weighSaid({ ...envelope, body: said }, settings);
  if (found.length === 0) return ALLOW;
  return deny(`The question of "${envelope.upstream}" is not put to the client: it holds a secret.`);
}

/** By the request during which they come: a key may be said in several notifications. */
const said = new WeakMap<Envelope, SaidBefore>();

function dropSaid(envelope: Envelope, settings: SecretSettings): Verdict {
  const { asked, body, upstream } = envelope;
  let before = asked && said.get(asked);
  if (asked !== undefined && before === undefined) {
    before = new SaidBefore();
    said.set(asked, before);
  }
  const found = weighSaid(envelope, settings, NO_FIELDS, before?.texts);
  if (found.some(isWithheld)) return deny(`A notification of "${upstream}" is withheld: it holds a secret.`);
  const value = found.length === 0 ? body : dropSecrets(body, found);
  before?.note(value);
  if (value === body) return ALLOW;
  // The token of progress is the client's own.
  const { progressToken } = body;
  const kept = progressToken === undefined ? value : { ...value, progressToken };
  return { kind: 'rewrite', value: kept, reason: `The notification held ${describeSecrets(found)}.` };
}

/** What is not sent on but recorded or logged, without secrets. `isWithheld`: they cannot be taken out. */
export function withoutSecrets(
  settings: SecretSettings,
  value: JsonObject,
): { readonly value: JsonObject; readonly isWithheld: boolean } {
  const found = weighSaid({ upstream: '', target: '', body: value }, settings);
  return found.length === 0
    ? { value, isWithheld: false }
    : { value: dropSecrets(value, found), isWithheld: found.some(isWithheld) };
}

const NO_FIELDS: readonly (readonly string[])[] = Object.freeze([]);

function weighSaid(
  { upstream, target, body }: Pick<Envelope, 'upstream' | 'target' | 'body'>,
  settings: SecretSettings,
  marked: readonly (readonly string[])[] = NO_FIELDS,
  before?: WeighOptions['before'],
): readonly WeighedSecret[] {
  if (!isWatched({ settings, direction: 'results' })) return [];
  const tool = { upstream, name: target };
  const options = { settings, direction: 'results', tool, marked, markedRoot: '/structuredContent' } as const;
  return weighSecrets(body, before === undefined ? options : { ...options, before });
}

function isWithheld({ isSplit, mode }: WeighedSecret): boolean {
  return isSplit || mode === 'deny' || mode === 'ask';
}

function deny(reason: string): Verdict {
  return { kind: 'deny', code: 'denied', reason };
}

/** A token whose value may not go there, or is gone. `undefined`: all of them may. */
function toTokenVerdict(
  kept: readonly (KeptSecret | undefined)[],
  envelope: Envelope,
  { foreign }: SecretSettings,
): Verdict | undefined {
  const { upstream } = envelope;
  // Fail closed: sent as it is, the token would be stored in place of the value.
  if (kept.includes(undefined))
    return deny(
      `${whatHolds(envelope)} a token ({{secret:…}}) whose value is not kept, or not any longer. Call the tool it came from again, and use the new token.`,
    );
  const strangers = kept.filter((one) => one !== undefined && one.upstream !== upstream);
  const [first] = strangers;
  if (first === undefined) return undefined;
  const reason = `${whatHolds(envelope)} a ${first.kind} that came from ${first.from === 'caller' ? 'the caller' : `"${first.upstream}"`} and may not go to "${upstream}".`;
  if (foreign === 'ask') return { kind: 'ask', reason: `${reason} Allowed, the token goes there and not the value.` };
  return deny(`${reason} Leave it out, or tell the user: only the operator can allow it.`);
}

function look(envelope: Envelope, settings: SecretSettings): Verdict {
  if (!isWatched({ settings, direction: 'arguments' })) return ALLOW;
  const found = weigh(envelope, settings);
  if (found.length === 0) return ALLOW;
  const { upstream } = envelope;
  // What is in pieces cannot be taken out.
  const denied = found.filter(({ mode }) => mode !== 'ask');
  if (denied.length > 0)
    return deny(
      `${whatHolds(envelope)} ${describeSecrets(denied)}, which may not go to "${upstream}". Leave it out, or tell the user: only the operator can allow it.`,
    );
  return { kind: 'ask', reason: `${whatHolds(envelope)} ${describeSecrets(found)} on the way to "${upstream}".` };
}

function whatHolds({ kind }: Pick<Envelope, 'kind'>): string {
  return kind === 'client_response' ? 'The answer holds' : 'The arguments hold';
}
