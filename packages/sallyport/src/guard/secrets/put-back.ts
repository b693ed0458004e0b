import { addTo } from '../../core/add-to.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { mayHoldToken } from './may-hold-secret.ts';
import { findTokens, type KeptSecret, type SecretVault, type Token } from './vault.ts';
import { applyEdits, eachValue, replaceTexts, type TextEdit, toPlace } from './walk-strings.ts';

/** A token in a message, and what stands behind it. */
export interface MetToken extends Token {
  /** As {@link toPlace} has it. */
  readonly place: string;
}

/** Every token in a message. */
export function tokensOf(root: Json): readonly MetToken[] {
  if (!mayHoldToken(root)) return NONE;
  let met: MetToken[] | undefined;
  eachValue(root, (placed) => {
    for (const token of findTokens(placed.text)) {
      met ??= [];
      met.push({ ...token, place: toPlace(placed) });
    }
  });
  return met ?? NONE;
}

const NONE: readonly MetToken[] = Object.freeze([]);

export interface PutBackOptions {
  readonly vault: SecretVault;
  readonly owner: string;
  /** Whether the value may go where the message goes. */
  readonly mayHave: (secret: KeptSecret) => boolean;
  /** Told of a token whose value is not kept. */
  readonly onMissing?: () => void;
}

/** The message with the values behind its tokens; those that may not go there stay tokens. `undefined`: it holds none. */
export function putBack(
  root: JsonObject,
  { vault, owner, mayHave, onMissing }: PutBackOptions,
): JsonObject | undefined | Promise<JsonObject | undefined> {
  const tokens = tokensOf(root);
  if (tokens.length === 0) return undefined;
  const found = vault.find(
    owner,
    tokens.map(({ id }) => id),
  );
  const write = (secrets: readonly (KeptSecret | undefined)[]) => {
    const values = new Map<string, TextEdit[]>();
    tokens.forEach(({ place, start, end, isEncoded }, i) => {
      const secret = secrets[i];
      if (secret === undefined) onMissing?.();
      if (secret === undefined || !mayHave(secret)) return;
      addTo(values, place, { start, end, text: isEncoded ? toEncoded(secret.value) : secret.value });
    });
    const texts = new Map<string, string>();
    eachValue(root, (placed) => {
      const edits = values.get(toPlace(placed));
      if (edits !== undefined) texts.set(toPlace(placed), applyEdits(placed.text, edits));
    });
    return texts.size === 0 ? undefined : replaceTexts(root, texts);
  };
  return found instanceof Promise ? found.then(write) : write(found);
}

/** What stands encoded stays within its part of the URI. Through bytes: no URI holds halves of characters. */
function toEncoded(value: string): string {
  return encodeURIComponent(Buffer.from(value).toString());
}
