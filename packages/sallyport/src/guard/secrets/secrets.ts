import type { SecretMode, SecretSettings } from '../../config/secrets-section.ts';
import type { Snapshot } from '../../config/settings.ts';
import type { Call, Tool } from '../../core/call.ts';
import type { JsonObject } from '../../core/json.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { type Of, snapshotOf } from '../snapshot-of.ts';
import { dropSecrets, maskSecrets } from './mask-secrets.ts';
import { tokensOf } from './put-back.ts';
import { sensitiveFields } from './sensitive-fields.ts';
import type { KeptSecret, SecretVault } from './vault.ts';
import { describeSecrets, isWatched, type WeighedSecret, type WeighOptions, weighSecrets } from './weigh-secrets.ts';

export interface SecretPorts {
  /** `undefined`: secrets are nobody's business. */
  readonly settings: Of<SecretSettings | undefined>;
  readonly vault: SecretVault;
}

/**
 * Secrets on their way out (requirement G6), those first that stay behind: a person who is asked about the rest sees what
 * is sent.
 */
export function secrets(ports: SecretPorts): readonly Guard[] {
  return [maskedOut(ports), stopped(ports)];
}

function maskedOut({ settings, vault }: SecretPorts): Guard {
  return {
    name: 'secrets-masked',
    request(call) {
      const now = settings(snapshotOf(call));
      if (now === undefined || !mayTakeOut(now)) return ALLOW;
      const found = weigh(call, now).filter(({ mode, isSplit }) => !isSplit && (mode === 'mask' || mode === 'drop'));
      if (found.length === 0) return ALLOW;
      const { upstream } = call.tool;
      const owner = call.client.principal.id;
      const reason = `${describeSecrets(found)} left out on the way to "${upstream}".`;
      const masked = maskSecrets(call.arguments, found, { vault, owner, from: 'caller', upstream });
      if (masked instanceof Promise) return masked.then((value) => ({ kind: 'rewrite', value, reason }));
      return { kind: 'rewrite', value: masked, reason };
    },
  };
}

const takers = new WeakMap<SecretSettings, boolean>();

function mayTakeOut(settings: SecretSettings): boolean {
  let may = takers.get(settings);
  if (may === undefined) {
    const takesOut = (mode: SecretMode) => mode === 'mask' || mode === 'drop';
    may = Object.values(settings.arguments).some(takesOut) || settings.rules.some(({ mode }) => takesOut(mode));
    takers.set(settings, may);
  }
  return may;
}

function weigh({ tool, arguments: args }: Call, settings: SecretSettings): readonly WeighedSecret[] {
  const marked = sensitiveFields(tool.definition).input;
  return weighSecrets(args, { settings, direction: 'arguments', tool, marked, markedRoot: '' });
}

/**
 * What a result held and was masked may return to its own server and nowhere else; the values are put back after the record
 * is written (`call/call-tool.ts`), so that no record and no person who is asked sees them.
 */
function stopped({ settings, vault }: SecretPorts): Guard {
  return {
    name: 'secrets',
    request(call) {
      const now = settings(snapshotOf(call));
      if (now === undefined) return ALLOW;
      const tokens = tokensOf(call.arguments);
      if (tokens.length === 0) return look(call, now);
      const ids = tokens.map(({ id }) => id);
      const found = vault.find(call.client.principal.id, ids);
      const judge = (kept: readonly (KeptSecret | undefined)[]) => toTokenVerdict(kept, call, now) ?? look(call, now);
      return found instanceof Promise ? found.then(judge) : judge(found);
    },
  };
}

/** Secrets in results (requirement G6). Masked values wait in the vault. */
export function secretsInResult(ports: SecretPorts): Guard {
  return {
    name: 'secrets-in-result',
    readsResult(call) {
      const now = ports.settings(snapshotOf(call));
      return now !== undefined && isWatched({ settings: now, direction: 'results' });
    },
    result(call, result) {
      const { tool, client } = call;
      const marked = sensitiveFields(tool.definition).output;
      const masked = maskResult(ports, result, {
        ...{ tool, owner: client.principal.id, marked },
        snapshot: snapshotOf(call),
      });
      if (masked === undefined) return ALLOW;
      const { upstream } = tool;
      if (masked.kind === 'withheld')
        return deny(`The result is withheld: it holds ${masked.what}. Ask "${upstream}" for less, or tell the user.`);
      const reason = `The result held ${masked.what}.`;
      const { value } = masked;
      if (value instanceof Promise) return value.then((done) => ({ kind: 'rewrite', value: done, reason }));
      return { kind: 'rewrite', value, reason };
    },
  };
}

export interface MaskResultOptions {
  readonly tool: Pick<Tool, 'upstream' | 'name'>;
  /** Who may bring the values back. */
  readonly owner: string;
  readonly marked: readonly (readonly string[])[];
  /** Of the call it answers. */
  readonly snapshot?: Snapshot | undefined;
}

export type MaskedResult =
  | { readonly kind: 'withheld'; readonly what: string }
  | { readonly kind: 'masked'; readonly what: string; readonly value: JsonObject | Promise<JsonObject> };

/** What a server sent, without what the configuration takes out of it. `undefined`: there is nothing to take out. */
export function maskResult(
  { settings, vault }: SecretPorts,
  result: JsonObject,
  { tool, owner, marked, snapshot }: MaskResultOptions,
): MaskedResult | undefined {
  const now = settings(snapshot);
  if (now === undefined || !isWatched({ settings: now, direction: 'results' })) return undefined;
  const markedRoot = '/structuredContent';
  const found = weighSecrets(result, { settings: now, direction: 'results', tool, marked, markedRoot });
  if (found.length === 0) return undefined;
  // What is in pieces cannot be taken out.
  const withheld = found.filter(({ mode, isSplit }) => isSplit || mode === 'deny' || mode === 'ask');
  if (withheld.length > 0) return { kind: 'withheld', what: describeSecrets(withheld) };
  const value = maskSecrets(result, found, { vault, owner, from: 'upstream', upstream: tool.upstream });
  return { kind: 'masked', what: describeSecrets(found), value };
}

/** What a server says beside its results, without secrets, which are dropped. `withheld`: they cannot be taken out, or may not. */
export function withoutSecrets(
  { settings }: Pick<SecretPorts, 'settings'>,
  said: JsonObject,
  {
    before,
    snapshot,
    ...tool
  }: MaskResultOptions['tool'] & Pick<MaskResultOptions, 'snapshot'> & Pick<WeighOptions, 'before'>,
): { readonly value: JsonObject; readonly isWithheld: boolean } {
  const now = settings(snapshot);
  if (now === undefined || !isWatched({ settings: now, direction: 'results' }))
    return { value: said, isWithheld: false };
  const found = weighSecrets(said, {
    ...{ settings: now, direction: 'results', tool, marked: [], markedRoot: '' },
    ...(before === undefined ? {} : { before }),
  });
  if (found.length === 0) return { value: said, isWithheld: false };
  const isWithheld = found.some(({ mode, isSplit }) => isSplit || mode === 'deny' || mode === 'ask');
  return { value: dropSecrets(said, found), isWithheld };
}

function deny(reason: string): Verdict {
  return { kind: 'deny', code: 'denied', reason };
}

/** A token whose value may not go there, or is gone. `undefined`: all of them may. */
function toTokenVerdict(
  kept: readonly (KeptSecret | undefined)[],
  call: Call,
  { foreign }: SecretSettings,
): Verdict | undefined {
  const { upstream } = call.tool;
  // Fail closed: sent as it is, the token would be stored in place of the value.
  if (kept.includes(undefined))
    return deny(
      `${whatHolds(call)} a token ({{secret:…}}) whose value is not kept, or not any longer. Call the tool it came from again, and use the new token.`,
    );
  const strangers = kept.filter((one) => one !== undefined && one.upstream !== upstream);
  const [first] = strangers;
  if (first === undefined) return undefined;
  const reason = `${whatHolds(call)} a ${first.kind} that came from ${first.from === 'caller' ? 'the caller' : `"${first.upstream}"`} and may not go to "${upstream}".`;
  if (foreign === 'ask') return { kind: 'ask', reason: `${reason} Allowed, the token goes there and not the value.` };
  return deny(`${reason} Leave it out, or tell the user: only the operator can allow it.`);
}

function look(call: Call, settings: SecretSettings): Verdict {
  if (!isWatched({ settings, direction: 'arguments' })) return ALLOW;
  const found = weigh(call, settings);
  if (found.length === 0) return ALLOW;
  const { upstream } = call.tool;
  // What is in pieces cannot be taken out.
  const denied = found.filter(({ mode }) => mode !== 'ask');
  if (denied.length > 0)
    return deny(
      `${whatHolds(call)} ${describeSecrets(denied)}, which may not go to "${upstream}". Leave it out, or tell the user: only the operator can allow it.`,
    );
  return { kind: 'ask', reason: `${whatHolds(call)} ${describeSecrets(found)} on the way to "${upstream}".` };
}

function whatHolds({ isAnswer }: Pick<Call, 'isAnswer'>): string {
  return isAnswer === true ? 'The answer holds' : 'The arguments hold';
}
