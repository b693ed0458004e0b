import type { JsonObject } from './json.ts';

/** What a tool shows a model, as plain texts. */
export interface ToolFace {
  readonly server: string;
  /** At its server. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Names of its parameters. */
  readonly parameters: readonly string[];
  /** As its server wrote it, for what is said of its parameters. */
  readonly definition?: JsonObject;
}
