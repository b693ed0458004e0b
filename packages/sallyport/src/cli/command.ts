import type { Json } from '../core/json.ts';
import type { Terminal } from './terminal.ts';

/** One row of the command table: what it is called, what it takes, and one call. Printing and exit codes are the runner's. */
export interface Command {
  /** The words after `sallyport`, e.g. `tool call`. */
  readonly name: string;
  /** One sentence without a full stop. */
  readonly summary: string;
  /** Positional words in commander's notation (`<tool>`, `[key=value...]`), each with what it means. */
  readonly words?: readonly (readonly [notation: string, meaning: string])[];
  readonly options?: readonly Flag[];
  /**
   * What `--` begins: `target`, a server's command that takes the place of the first word; `command`, a command the
   * row asked for beside its words. Left out: `--` only ends the options.
   */
  readonly dashes?: 'target' | 'command';
  /** A whole command line that works. */
  readonly example: string;
  run(input: Input): Promise<Output | undefined>;
}

export interface Flag {
  /** In commander's notation: `--timeout <time>`. */
  readonly flags: string;
  readonly meaning: string;
  /** May be given several times; the value is a list. */
  readonly many?: true;
}

/** One command line, read. */
export interface Input {
  /** The positional words; without the target where `--` gave one. */
  readonly words: readonly string[];
  /** What stood after `--`, where the row has a use for it. */
  readonly dashed: readonly string[] | undefined;
  readonly options: Options;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

export type Options = Readonly<Record<string, unknown>>;

/** What a command has to say. A command that owns stdout itself returns nothing. */
export interface Output {
  /** The one JSON value of `--json`. */
  readonly value: Json;
  /** For people; left out: the value as JSON. */
  readonly text?: string | Buffer;
  /** For people beside the result: goes to stderr. */
  readonly remarks?: readonly string[];
  /** What to do next: goes to stderr, after the result. */
  readonly next?: readonly string[];
  /** 0 when left out. */
  readonly exit?: number;
}

/** The value of an option that takes text. */
export function textOption(options: Options, name: string): string | undefined {
  const value = Object.hasOwn(options, name) ? options[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The values of an option that may be given several times. */
export function listOption(options: Options, name: string): readonly string[] {
  const value = Object.hasOwn(options, name) ? options[name] : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function isSet(options: Options, name: string): boolean {
  return Object.hasOwn(options, name) && options[name] === true;
}
