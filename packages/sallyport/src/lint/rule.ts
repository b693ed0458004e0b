import type { Finding } from '../core/finding.ts';
import type { Json, JsonObject } from '../core/json.ts';

/** `error`: a client or a model provider refuses it, or it is an attack. `warning`: models use it worse. `note`: advice. */
export type Level = 'error' | 'warning' | 'note';

export type Group =
  | 'spec'
  | 'names'
  | 'descriptions'
  | 'schemas'
  | 'annotations'
  | 'pages'
  | 'size'
  | 'overlap'
  | 'security'
  | 'results'
  | 'errors';

/** What is linted: the definitions of one server. */
export interface Subject {
  readonly server: string;
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly instructions: string | undefined;
  /** What the scanner of definitions found in a tool. */
  readonly scan: (tool: JsonObject) => readonly Finding[];
}

/** One place where a rule is broken. */
export interface Breach {
  /** Name of the tool; left out: the server itself. */
  readonly tool?: string;
  /** JSON pointer into the definition. */
  readonly path?: string;
  readonly message: string;
}

/** A change that makes a tool keep the rule. Whoever wrote the tool decides whether it is right. */
export interface Suggestion {
  /** JSON pointer into the definition. */
  readonly path: string;
  /** `undefined`: remove the member. */
  readonly value: Json | undefined;
  /** Where the value comes from. */
  readonly why: string;
}

export interface Rule {
  /** `<group>/<words>`; never changes, because baselines name it. */
  readonly id: `${Group}/${string}`;
  readonly level: Level;
  /** What is required, in one sentence. */
  readonly requires: string;
  readonly why: string;
  readonly fix: string;
  /** Tools that keep the rule, and tools that break it; a test runs both. */
  readonly good: readonly JsonObject[];
  readonly bad: readonly JsonObject[];
  check(subject: Subject): Iterable<Breach>;
  /** Changes after which the tool keeps the rule, as far as anybody but its author can know. @param names of the server's tools */
  mend?(tool: JsonObject, names: ReadonlySet<string>): Iterable<Suggestion>;
}

/** What a rule of one tool writes: its breaches are those of every tool. */
export type ToolRule = Omit<Rule, 'check'> & { checkTool(tool: JsonObject, subject: Subject): Iterable<Breach> };

export function forEachTool({ checkTool, ...rule }: ToolRule): Rule {
  return {
    ...rule,
    *check(subject) {
      for (const tool of subject.tools) {
        for (const breach of checkTool(tool, subject)) yield { tool: nameOf(tool), ...breach };
      }
    },
  };
}

export function nameOf(tool: JsonObject): string {
  const name = Object.hasOwn(tool, 'name') ? tool['name'] : undefined;
  return typeof name === 'string' ? name : '(no name)';
}
