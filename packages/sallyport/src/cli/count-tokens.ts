import { countWide, toTokens } from '../core/estimate-tokens.ts';
import type { JsonObject } from '../core/json.ts';

/** Tokens of something in the contexts of different families of models. */
export interface Tokens {
  /** Counted with the o200k encoding of OpenAI's models. */
  readonly o200k: number;
  /** Estimated from characters, since these tokenizers are not public. */
  readonly claude: number;
  readonly gemini: number;
}

export const NO_TOKENS: Tokens = { o200k: 0, claude: 0, gemini: 0 };

/**
 * Characters of one token of Latin text. Anthropic: "approximately 3.5 English characters" (docs.claude.com, glossary); Google:
 * "about 4 characters" (ai.google.dev, tokens).
 */
const CLAUDE = 3.5;
const GEMINI = 4;

/** Counts what a definition costs wherever it is listed. The encoding is loaded with the first call: 2 MB. */
export async function openTokenCounter(): Promise<(definition: JsonObject) => Tokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  return (definition) => {
    const text = JSON.stringify(definition);
    const size = { characters: text.length, wide: countWide(text) };
    // A definition that spells a control token, such as <|endoftext|>, is counted as the text it is.
    return {
      o200k: countTokens(text, { disallowedSpecial: new Set() }),
      claude: toTokens(size, CLAUDE),
      gemini: toTokens(size, GEMINI),
    };
  };
}

export function addTokens(one: Tokens, other: Tokens): Tokens {
  return {
    o200k: one.o200k + other.o200k,
    claude: one.claude + other.claude,
    gemini: one.gemini + other.gemini,
  };
}
