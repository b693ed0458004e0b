import type { Json, JsonObject } from '../../core/json.ts';
import { type KeptSecret, type SecretVault, toToken } from './vault.ts';
import { applyEdits, eachText, replaceTexts, type TextEdit } from './walk-strings.ts';
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
  const kept = vault.keep(
    owner,
    masked.map(({ value, kind }) => ({ value, kind, from, upstream })),
  );
  const write = (ids: readonly string[]) =>
    rewrite(root, secrets, new Map(masked.map((one, i) => [one, ids[i] ?? ''])));
  return kept instanceof Promise ? kept.then(write) : write(kept);
}

/** A value shorter than this stands in texts by chance. */
const MIN_REPEATED = 6;

function rewrite(
  root: JsonObject,
  secrets: readonly WeighedSecret[],
  ids: ReadonlyMap<WeighedSecret, string>,
): JsonObject {
  const edits = new Map<string, TextEdit[]>();
  const repeated = new Map<string, string>();
  for (const secret of secrets) {
    const { pointer, kind, start, end, value } = secret;
    const id = ids.get(secret);
    const text = id === undefined ? `[removed: ${kind}]` : toToken(kind, id);
    const list = edits.get(pointer);
    if (list === undefined) edits.set(pointer, [{ start, end, text }]);
    else list.push({ start, end, text });
    if (kind === 'sensitive-field' && value.length >= MIN_REPEATED) repeated.set(value, text);
  }
  const texts = new Map<string, Json>();
  eachText(root, ({ pointer, text }) => {
    const here = edits.get(pointer);
    const edited = here === undefined ? text : applyEdits(text, here);
    const rid = repeated.size === 0 ? edited : withoutValues(edited, repeated);
    if (rid !== text) texts.set(pointer, rid);
  });
  return replaceTexts(root, texts);
}

/** A field of the structured content stands in the text beside it as well, there as JSON. */
function withoutValues(text: string, values: ReadonlyMap<string, string>): string {
  let rest = text;
  for (const [value, token] of values) {
    rest = rest.replaceAll(value, () => token);
    const escaped = JSON.stringify(value).slice(1, -1);
    if (escaped !== value) rest = rest.replaceAll(escaped, () => token);
  }
  return rest;
}
