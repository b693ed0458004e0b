import type { Tool } from '../../core/call.ts';
import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import type { Validator } from './compile-schema.ts';
import { isCheapValue, isWorkerValue, type SchemaCost, toSchemaCost } from './schema-cost.ts';
import { createWorkerRunner, type WorkerJob, type WorkerOutcome, type WorkerRunner } from './worker-runner.ts';

export type SchemaName = 'inputSchema' | 'outputSchema';

export type Validation =
  | { readonly kind: 'valid' }
  /** In words for a model; no values. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  /** Nobody knows whether the value is valid: the schema is unusable, or took too long. `reason` completes "the inputSchema …". */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Runs strangers' schemas without letting them hold anything up. */
export interface SchemaChecker {
  /** Why the tool must be set aside, or `undefined`: its schemas compile and run within their limits. Never rejects. */
  check(tool: Tool): Promise<string | undefined>;
  /**
   * Synchronous for the schemas nearly all tools have, by the worker for those that could hold the main thread.
   * A schema that turns out unusable sets its tool aside. Never throws.
   */
  validate(tool: Tool, name: SchemaName, value: Json): Validation | Promise<Validation>;
  /** What `check` or a validation found out about the tools with this digest. */
  whySetAside(digest: string): string | undefined;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Milliseconds. */
export interface SchemaCheckerOptions {
  /** Compiling both schemas of a tool and trying them out. */
  readonly compileMs?: number | undefined;
  /** One validation in the worker. */
  readonly validateMs?: number | undefined;
  /** The worker is ended after this long without work. */
  readonly idleMs?: number | undefined;
}

/** Each of two generations of remembered tools; the older one is dropped when the younger is full. */
const REMEMBERED = 500;
const MAX_SET_ASIDE = 10_000;
/** Of schemas the worker keeps compiled; more than that and it forgets all of them. */
const WORKER_SCHEMA_BYTES = 1024 * 1024;

const VALID: Validation = Object.freeze({ kind: 'valid' });

export function createSchemaChecker(options: SchemaCheckerOptions = {}): SchemaChecker {
  return new WatchedSchemaChecker(options);
}

/** What is known of one schema of one digest; the schema itself stays with the tool. */
interface Known {
  readonly cost: SchemaCost;
  /** Compiled on the main thread, for cheap schemas, at the first validation. */
  validator: Validator | undefined;
}

interface Job {
  readonly tool: Tool;
  readonly name: SchemaName;
  readonly value: Json;
}

interface Sized {
  readonly schema: JsonObject;
  readonly bytes: number;
}

type Compiler = typeof import('./compile-schema.ts');

class WatchedSchemaChecker implements SchemaChecker {
  readonly #compileMs: number;
  readonly #validateMs: number;
  readonly #runner: WorkerRunner;
  readonly #setAside = new Map<string, string>();
  #recent = new Map<string, Map<SchemaName, Known>>();
  #older = new Map<string, Map<SchemaName, Known>>();
  #compiler: Compiler | undefined;

  constructor({ compileMs = 100, validateMs = 100, idleMs = 30_000 }: SchemaCheckerOptions) {
    this.#compileMs = compileMs;
    this.#validateMs = validateMs;
    this.#runner = createWorkerRunner({ idleMs });
  }

  async check(tool: Tool): Promise<string | undefined> {
    const before = this.#setAside.get(tool.digest);
    if (before !== undefined) return before;
    const schemas: (readonly [string, JsonObject])[] = [];
    let cheap = true;
    for (const name of ['inputSchema', 'outputSchema'] as const) {
      const { cost } = this.#know(tool, name);
      if (cost.kind === 'refused') return this.#refuse(tool, `its ${name} ${cost.reason}`);
      cheap &&= cost.kind === 'cheap';
      const schema = member(tool.definition, name);
      if (isObject(schema)) schemas.push([name, schema]);
    }
    const outcome = await this.#runner.run({
      lane: `check ${tool.upstream}`,
      deadlineMs: this.#compileMs,
      toRequest: () => ({ kind: 'check', schemas }),
    });
    if (outcome.kind === 'checked')
      return outcome.refusal === undefined ? undefined : this.#refuse(tool, `its ${outcome.refusal}`);
    // A cheap schema cannot take that long by what it is made of: then it is the machine that is busy.
    if (outcome.kind === 'late' && cheap) return undefined;
    if (outcome.kind === 'late')
      return this.#refuse(tool, `its schemas take longer than ${this.#compileMs} ms to compile and try out`);
    // Says nothing about the schema: not remembered, so that the next check decides.
    return 'its schemas could not be checked';
  }

  validate(tool: Tool, name: SchemaName, value: Json): Validation | Promise<Validation> {
    const known = this.#know(tool, name);
    const { cost, validator } = known;
    if (cost.kind === 'cheap' && isCheapValue(value, cost)) {
      if (validator !== undefined) return toValidation(validator(value));
      if (this.#compiler !== undefined) return this.#validateHere({ tool, name, value }, known, this.#compiler);
      return this.#validateFirst({ tool, name, value }, known);
    }
    if (cost.kind === 'refused') return this.#unusable(tool, name, cost.reason);
    const schema = member(tool.definition, name);
    if (!isObject(schema)) return VALID;
    if (!isWorkerValue(value)) return { kind: 'unknown', reason: 'was not run: the value is too large' };
    return this.#validateInWorker({ tool, name, value }, { schema, bytes: cost.kind === 'worker' ? cost.bytes : 0 });
  }

  whySetAside(digest: string): string | undefined {
    return this.#setAside.get(digest);
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }

  /** Ajv costs 40 ms and 8 MB: it is loaded for the first call, not for the start. */
  async #validateFirst(job: Job, known: Known): Promise<Validation> {
    this.#compiler ??= await import('./compile-schema.ts');
    return this.#validateHere(job, known, this.#compiler);
  }

  #validateHere({ tool, name, value }: Job, known: Known, { compileSchema, SchemaRefusal }: Compiler): Validation {
    const schema = member(tool.definition, name);
    const compiled = compileSchema(isObject(schema) ? schema : {}, { allProblems: true });
    if (compiled instanceof SchemaRefusal) return this.#unusable(tool, name, compiled.reason);
    known.validator = compiled;
    return toValidation(compiled(value));
  }

  async #validateInWorker({ tool, name, value }: Job, { schema, bytes }: Sized): Promise<Validation> {
    const key = `${name} ${tool.digest}`;
    const job: WorkerJob = {
      lane: key,
      deadlineMs: this.#validateMs,
      toRequest: (known) => {
        const isNew = !known.has(key);
        const forget = isNew && sum(known.values()) + bytes > WORKER_SCHEMA_BYTES;
        if (forget) known.clear();
        // Besides its text, a compiled schema costs about this much.
        known.set(key, bytes + 5_000);
        return { kind: 'validate', key, schema: isNew ? schema : undefined, value, forget };
      },
    };
    const outcome = await this.#runner.run(job);
    switch (outcome.kind) {
      case 'validated':
        return toValidation(outcome.problems);
      case 'refused':
        return this.#unusable(tool, name, outcome.reason);
      case 'late':
        return this.#unusable(tool, name, `took longer than ${this.#validateMs} ms to check one value`);
      case 'failed':
      case 'busy':
      case 'checked':
      case 'unavailable':
        return { kind: 'unknown', reason: toExcuse(outcome) };
    }
  }

  #unusable(tool: Tool, name: SchemaName, reason: string): Validation {
    this.#refuse(tool, `its ${name} ${reason}`);
    return { kind: 'unknown', reason };
  }

  #refuse(tool: Tool, reason: string): string {
    if (this.#setAside.size >= MAX_SET_ASIDE) {
      const [oldest] = this.#setAside.keys();
      if (oldest !== undefined) this.#setAside.delete(oldest);
    }
    this.#setAside.set(tool.digest, reason);
    return reason;
  }

  #know(tool: Tool, name: SchemaName): Known {
    let schemas = this.#recent.get(tool.digest);
    if (schemas === undefined) {
      schemas = this.#older.get(tool.digest) ?? new Map();
      if (this.#recent.size >= REMEMBERED) {
        this.#older = this.#recent;
        this.#recent = new Map();
      }
      this.#recent.set(tool.digest, schemas);
    }
    let known = schemas.get(name);
    if (known === undefined) {
      known = { cost: toCost(member(tool.definition, name), name), validator: undefined };
      schemas.set(name, known);
    }
    return known;
  }
}

function toCost(schema: Json | undefined, name: SchemaName): SchemaCost {
  if (isObject(schema)) return toSchemaCost(schema);
  // MCP tools#tool: an inputSchema is required and an object; an outputSchema may be missing.
  if (schema === undefined && name === 'outputSchema') return { kind: 'worker', bytes: 0 };
  return { kind: 'refused', reason: schema === undefined ? 'is missing' : 'is no object' };
}

/** Outcomes that say nothing about the schema: the value stays unchecked, the tool is not set aside. */
function toExcuse(outcome: WorkerOutcome): string {
  if (outcome.kind === 'failed') return outcome.reason;
  return outcome.kind === 'busy' ? 'waits behind too many others' : 'could not be run';
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

function toValidation(problems: readonly string[]): Validation {
  return problems.length === 0 ? VALID : { kind: 'invalid', problems };
}
