/** One masked value and where it came from. Never logged, never recorded. */
export interface KeptSecret {
  readonly value: string;
  readonly kind: string;
  /** `upstream`: a result of `upstream` held it. `caller`: it was in arguments on their way to `upstream`. */
  readonly from: 'upstream' | 'caller';
  readonly upstream: string;
}

/**
 * Where masked values wait to be put back. Bounded and forgetful: what is gone is refused, never guessed. Each owner
 * (a principal) has its own; nobody finds another's. A promise only where the answer comes over a wire.
 */
export interface SecretVault {
  /** The same value of the same origin has one id while it is kept. @returns one id each, in order */
  keep(owner: string, secrets: readonly KeptSecret[]): readonly string[] | Promise<readonly string[]>;
  /** @returns one each, in order; `undefined`: not kept, not any longer, or not for this owner */
  find(
    owner: string,
    ids: readonly string[],
  ): readonly (KeptSecret | undefined)[] | Promise<readonly (KeptSecret | undefined)[]>;
}

/** What stands for a value: readable for a model, unlike anything a server would understand. */
export function toToken(kind: string, id: string): string {
  return `{{secret:${kind}:${id}}}`;
}

export interface Token {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  /** Percent-encoded, wholly or in part, as templates (RFC 6570) and parsers of URLs write it into a URI. */
  readonly isEncoded: boolean;
}

/** As Sallyport writes it. */
export const TOKEN_BEGIN = '{{secret:';
const BEGIN = /(?:\{|%7[Bb]){2}secret(?::|%3[Aa])/;
const TOKEN = /(?:\{|%7[Bb]){2}secret(?::|%3[Aa])[a-z0-9-]{1,40}(?::|%3[Aa])([a-z2-7]{16})(?:\}|%7[Dd]){2}/g;

/** Is a token begun in this text? The word alone costs less to look for. */
export function beginsToken(text: string): boolean {
  return text.includes('secret') && BEGIN.test(text);
}

export function findTokens(text: string): readonly Token[] {
  if (!beginsToken(text)) return NONE;
  return [...text.matchAll(TOKEN)].map(({ 0: token, 1: id = '', index }) => ({
    id,
    start: index,
    end: index + token.length,
    isEncoded: token.includes('%'),
  }));
}

const NONE: readonly Token[] = Object.freeze([]);
