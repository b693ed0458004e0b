import type { Fields, OutputOf } from './schema.ts';

/** A text that a person can start from. */
export interface Prompt<In extends Fields = Fields> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: In;
  /** Values that may complete an argument, at most 100 of which are sent. */
  readonly complete?: { readonly [Name in keyof In]?: (start: string) => string[] | Promise<string[]> };
  /** The message of the user. */
  text(input: OutputOf<In>): string | Promise<string>;
}

/** Declares a prompt. */
export function definePrompt<In extends Fields>(prompt: Prompt<In>): Prompt {
  // It is called with what its own schema validated.
  return prompt as unknown as Prompt;
}
