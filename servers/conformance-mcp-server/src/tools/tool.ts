import type { Call } from '../call.ts';
import type { Era, Fields } from '../messages.ts';
import type { World } from '../world.ts';

export type Run = (args: Fields, call: Call, world: World) => Promise<Fields> | Fields;

export interface Tool {
  readonly definition: Fields & { readonly name: string; readonly inputSchema: Fields };
  readonly run: Run;
  /** Runs as a task for a modern client that declares the extension; `required` refuses all others of that era. */
  readonly task?: 'optional' | 'required';
  /** Runs before a task is made; what it returns is added to the arguments. */
  readonly prepare?: Run;
  /** Only listed in this era. */
  readonly only?: Era;
}

export interface ToolOptions {
  readonly about?: string;
  readonly properties?: Fields;
  readonly required?: readonly string[];
  /** Further members of the definition, unknown ones too. */
  readonly more?: Fields;
  readonly task?: Tool['task'];
  readonly prepare?: Run;
  readonly only?: Era;
}

export function defineTool(name: string, run: Run, options: ToolOptions = {}): Tool {
  const { about, properties = {}, required, more, task, prepare, only } = options;
  const inputSchema = { type: 'object', properties, ...(required === undefined ? {} : { required }) };
  return {
    definition: { name, description: about ?? name.replaceAll('_', ' '), inputSchema, ...more },
    run,
    ...(task === undefined ? {} : { task }),
    ...(prepare === undefined ? {} : { prepare }),
    ...(only === undefined ? {} : { only }),
  };
}
