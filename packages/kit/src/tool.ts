import type { Icon } from '@modelcontextprotocol/server';
import type { ToolContext } from './context.ts';
import { DefinitionError } from './definition-error.ts';
import { assertToolName } from './names.ts';
import {
  type Fields,
  type InputOf,
  type JsonSchema,
  type OutputOf,
  type Schema,
  TARGET,
  toObjectSchema,
} from './schema.ts';

/** What a tool does to the world. All four are required: clients decide by them whether to ask a person. */
export interface Hints {
  /** It changes nothing. */
  readonly readOnly: boolean;
  /** It may delete or overwrite. Without meaning when `readOnly`. */
  readonly destructive: boolean;
  /** A second call with the same input changes nothing more. */
  readonly idempotent: boolean;
  /** It reaches beyond this server: the web, other people's data. */
  readonly openWorld: boolean;
}

/** A tool as its author writes it. */
export interface ToolDefinition<In extends Fields, Out extends Fields> {
  /** `{service}_{action}_{resource}`, for example `weather_get_forecast`. */
  readonly name: string;
  /** For people, for example "Get the forecast". */
  readonly title: string;
  /** For models: what it does, when to use it, what comes back. */
  readonly description: string;
  readonly input: In;
  readonly output: Out;
  readonly hints: Hints;
  readonly icons?: readonly Icon[];
  /**
   * For long work. A client that knows the Tasks extension (2026-07-28) gets a task at once, and asks for its result later;
   * any other client gets the result as from any tool. `resumes`: after a restart the tool runs again from its start, with
   * what it did in `once` done; without it, a task that was at work then has failed.
   */
  readonly task?: true | { readonly resumes: boolean };
  /** Milliseconds after which the call is stopped; 60,000 unless set, an hour for a tool with `task`. */
  readonly timeoutMs?: number;
  /** Calls per minute and caller; no limit unless set. */
  readonly perMinute?: number;
  /** Runs again after a failure that `isTransient` accepts, first after 100 ms, then after twice as long; only for tools that are idempotent. */
  readonly retries?: { readonly times: number; readonly isTransient: (error: unknown) => boolean };
  /** The result in Markdown, used when the caller asks for `response_format: "markdown"`. */
  readonly markdown?: (output: OutputOf<Out>) => string;
  run(input: OutputOf<In>, context: ToolContext): InputOf<Out> | Promise<InputOf<Out>>;
}

/** A checked definition. */
export interface Tool {
  readonly name: string;
  readonly definition: ToolDefinition<Fields, Fields>;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
}

type ObjectSchema = Schema<Record<string, unknown>, Record<string, unknown>>;

const MIN_DESCRIPTION = 20;
/** A timer of Node fires at once when its time is longer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const MAX_RETRIES = 10;

/**
 * Declares a tool. The types require title, description, output, all four hints, and a description of every field.
 * @throws DefinitionError for a bad name, a description that says nothing, or hints that contradict each other
 */
export function defineTool<In extends Fields, Out extends Fields>(definition: ToolDefinition<In, Out>): Tool {
  const { name, title, description, hints, retries, perMinute = 1, timeoutMs = 1 } = definition;
  assertToolName(name);
  const subject = `Tool "${name}"`;
  if (title.trim() === '')
    throw new DefinitionError(subject, 'the title is empty.', 'Write two to five words for people.');
  if (description.trim().length < MIN_DESCRIPTION)
    throw new DefinitionError(
      subject,
      `the description has fewer than ${MIN_DESCRIPTION} characters.`,
      'Say what the tool does, when to use it and what comes back.',
    );
  if (hints.readOnly && hints.destructive)
    throw new DefinitionError(subject, 'it cannot be both readOnly and destructive.', 'Correct one of the hints.');
  if (retries !== undefined && !hints.readOnly && !hints.idempotent)
    throw new DefinitionError(
      subject,
      'only work that is idempotent may be retried.',
      'Remove `retries`, or make the tool idempotent and say so in its hints.',
    );
  if (typeof definition.task === 'object' && definition.task.resumes && !hints.readOnly && !hints.idempotent)
    throw new DefinitionError(
      subject,
      'only work that is idempotent may run again after a restart.',
      'Write `task: true`, or make the tool idempotent and say so in its hints.',
    );
  if (retries !== undefined && !(Number.isInteger(retries.times) && retries.times >= 1 && retries.times <= MAX_RETRIES))
    throw new DefinitionError(subject, `retries.times is ${retries.times}.`, `Use 1 to ${MAX_RETRIES}.`);
  if (!(perMinute >= 1)) throw new DefinitionError(subject, `perMinute is ${perMinute}.`, 'Use 1 or more.');
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new DefinitionError(subject, `timeoutMs is ${timeoutMs}.`, `Use 1 to ${MAX_TIMEOUT_MS} milliseconds.`);
  const inputSchema = toObjectSchema(definition.input) as ObjectSchema;
  const outputSchema = toObjectSchema(definition.output) as ObjectSchema;
  assertDescribed(subject, 'input', inputSchema['~standard'].jsonSchema.input(TARGET));
  assertDescribed(subject, 'output', outputSchema['~standard'].jsonSchema.output(TARGET));
  // Its caller passes what `inputSchema` validated.
  return { name, definition: definition as unknown as ToolDefinition<Fields, Fields>, inputSchema, outputSchema };
}

/** The types see the fields of the first level; members inside them are checked here. @throws DefinitionError */
function assertDescribed(subject: string, path: string, schema: JsonSchema): void {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  for (const [name, property] of Object.entries(properties)) {
    const at = `${path}.${name}`;
    const { description } = property;
    if (typeof description !== 'string' || description.trim() === '')
      throw new DefinitionError(subject, `${at} has no description.`, 'Say what the value is, with an example.');
    assertDescribed(subject, at, property);
  }
  const { items } = schema;
  if (typeof items === 'object' && items !== null) assertDescribed(subject, `${path}[]`, items as JsonSchema);
}
