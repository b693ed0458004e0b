/** The words of a text that do something, in order. Parallel arrays: 64 KB hold ten thousand words. */
export interface Words {
  readonly count: number;
  /** What the word does, see `lexicon.ts`. */
  readonly kinds: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Which word of the text it is, counted over all words. */
  readonly places: readonly number[];
  readonly sentences: readonly number[];
  readonly marks: readonly number[];
  /** Where reading stopped, since there were too many of them; `undefined`: all were read. */
  readonly cutAt: number | undefined;
}

/** The word is a name such as `read_file` or `readFile`: a tool's, more often than not. */
export const IS_NAME = 1;
/** Written in capitals. */
export const IS_LOUD = 2;
/** A colon follows. */
export const IS_HEADING = 4;
/** An address of the web or of a mailbox. */
export const IS_ADDRESS = 8;
/** Not written as it is read: spaced, turned by 13 letters, with digits for letters. */
export const IS_DISGUISED = 16;

/** First in a tag or a bracket: `<IMPORTANT>`, `[SYSTEM]`, `<!-- SYSTEM`. */
export const IS_TAGGED = 32;

/** In a script without blanks. */
export const IS_JOINED = 64;
