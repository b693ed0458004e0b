import { addTo } from '../../core/add-to.ts';
import type { JsonObject } from '../../core/json.ts';
import { type KeptSecret, type SecretVault, toToken } from './vault.ts';
import { applyEdits, eachValue, replaceTexts, type TextEdit, toPlace } from './walk-strings.ts';
import type { WeighedSecret } from './weigh-secrets.ts';

export interface MaskOptions {
  readonly vault: SecretVault;
  readonly owner: string;
  readonly from: KeptSecret['from'];
  readonly upstream: string;
}

/** A message without what is to be masked or dropped. A promise only where the vault answers over a wire. */
export function maskSecrets(
  root: JsonObject,
  secrets: readonly WeighedSecret[],
  { vault, owner, from, upstream }: MaskOptions,
): JsonObject | Promise<JsonObject> {
  const masked = secrets.filter(({ mode }) => mode === 'mask');
  if (masked.length === 0) return dropSecrets(root, secrets);
  const kept = vault.keep(
    owner,
    masked.map(({ value, kind }) => ({ value, kind, from, upstream })),
  );
  const write = (ids: readonly string[]) => {
    const bySecret = new Map(masked.map((one, i) => [one, ids[i] ?? '']));
    return replaceSecrets(root, secrets, (one) => {
      const id = bySecret.get(one);
      return id === undefined ? toRemoved(one) : toToken(one.kind, id);
    });
  };
  return kept instanceof Promise ? kept.then(write) : write(kept);
}

/** The same for what nobody brings back: everything is dropped. */
export function dropSecrets(root: JsonObject, secrets: readonly WeighedSecret[]): JsonObject {
  return replaceSecrets(root, secrets, toRemoved);
}

function toRemoved({ kind }: WeighedSecret): string {
  return `[removed: ${kind}]`;
}

/** A value shorter than this stands in texts by chance: there it is looked for together with its name. */
const MIN_REPEATED = 6;

interface Repeated {
  readonly value: string;
  readonly field: string;
  readonly token: string;
}

/** The message with another text in place of each secret; none of them is in pieces. */
export function replaceSecrets(
  root: JsonObject,
  secrets: readonly WeighedSecret[],
  toText: (secret: WeighedSecret) => string,
): JsonObject {
  const edits = new Map<string, TextEdit[]>();
  const repeated = new Map<string, Repeated>();
  for (const secret of secrets) {
    const { start, end, value } = secret;
    const text = toText(secret);
    addTo(edits, toPlace(secret), { start, end, text });
    if (secret.isByName && repeated.size < MAX_REPEATED)
      repeated.set(`${secret.field}\0${value}`, { value, field: secret.field, token: text });
  }
  const texts = new Map<string, string>();
  eachValue(root, (placed) => {
    const here = edits.get(toPlace(placed));
    const edited = here === undefined ? placed.text : applyEdits(placed.text, here);
    const rid = repeated.size === 0 || placed.form !== 'text' ? edited : withoutValues(edited, repeated.values());
    if (rid !== placed.text) texts.set(toPlace(placed), rid);
  });
  return replaceTexts(root, texts);
}

/** Each is looked for in every text. */
const MAX_REPEATED = 1_000;

/** What only its name tells, in a field of the structured content, stands in the text beside it as well, there as JSON. */
function withoutValues(text: string, values: Iterable<Repeated>): string {
  let rest = text;
  for (const { value, field, token } of values) {
    const escaped = JSON.stringify(value).slice(1, -1);
    if (value.length < MIN_REPEATED) {
      rest = withoutMember(rest, { value: escaped, field, token });
      continue;
    }
    rest = rest.replaceAll(value, () => token);
    if (escaped !== value) rest = rest.replaceAll(escaped, () => token);
  }
  return rest;
}

/** `"pin": "7391"`, `"pin":7391`: a short value as the value of its name. */
function withoutMember(text: string, { value, field, token }: Repeated): string {
  const name = JSON.stringify(field);
  let rest = '';
  let at = 0;
  for (let found = text.indexOf(name); found >= 0; found = text.indexOf(name, found + 1)) {
    if (found < at) continue;
    const colon = /^\s{0,64}:\s{0,64}/.exec(text.slice(found + name.length, found + name.length + 132))?.[0];
    if (colon === undefined) continue;
    const start = found + name.length + colon.length;
    const written = [`"${value}"`, value].find((one) => text.startsWith(one, start));
    if (written === undefined || /[\w.]/.test(text[start + written.length] ?? '')) continue;
    rest += `${text.slice(at, start)}"${token}"`;
    at = start + written.length;
  }
  return rest + text.slice(at);
}
