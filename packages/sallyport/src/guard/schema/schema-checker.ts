import type { Tool } from '../../core/call.ts';
import type { Client } from '../../core/client.ts';
import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import {
  createWorkerRunner,
  type TimeThread,
  toWorkerFile,
  type WorkerOutcome,
  type WorkerRunner,
} from '../threads/worker-runner.ts';
import type { Validator } from './compile-schema.ts';
import { isCheapValue, isWorkerValue, type SchemaCost, toSchemaCost } from './schema-cost.ts';
import type { WorkerReply, WorkerRequest } from './schema-worker.ts';

type SchemaRunner = WorkerRunner<WorkerRequest, WorkerReply>;
const SCHEMA_WORKER = toWorkerFile(import.meta.url, 'guard/schema/schema-worker.js');

export type SchemaName = 'inputSchema' | 'outputSchema';

export type Validation =
  | { readonly kind: 'valid' }
  /** In words for a model; no values. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  /** The schema validates nothing: another dialect, a reference to elsewhere, too expensive. `reason` completes "its inputSchema …". */
  | { readonly kind: 'unusable'; readonly reason: string }
  /** The schema is usable, and this one value was not validated. `reason` completes "This value …". */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Whose schema is used, and on whose behalf. */
export interface Validated {
  readonly tool: Tool;
  readonly client: Client;
}

/** Runs strangers' schemas without letting them hold anything up. */
export interface SchemaChecker {
  /** Compiles the schemas of a tool and tries them out, to know before a call which of them are unusable. Never rejects. */
  check(tool: Tool): Promise<void>;
  /**
   * Synchronous for the schemas nearly all tools have, by the worker for those that could hold the main thread. Never throws.
   */
  validate(use: Validated, name: SchemaName, value: Json): Validation | Promise<Validation>;
  /** Which schemas of tools with this digest are unusable, as far as is known: `its inputSchema …`. */
  unusable(digest: string): readonly string[];
  /** Idempotent. */
  close(): Promise<void>;
}

/** Milliseconds; the first two of processor time. */
export interface SchemaCheckerOptions {
  /** Compiling a schema. */
  readonly compileMs?: number | undefined;
  /** One validation in the worker; when a schema is checked, that of a few small values. */
  readonly validateMs?: number | undefined;
  /** The worker is ended after this long without work. */
  readonly idleMs?: number | undefined;
  readonly timeThread?: TimeThread | undefined;
}

const SCHEMA_NAMES = ['inputSchema', 'outputSchema'] as const;
/** Each of two generations of remembered tools; the older one is dropped when the younger is full. */
const REMEMBERED = 500;
const MAX_CHECKED = 20_000;
/** Of schemas the worker keeps compiled; more than that and it forgets all of them. */
const WORKER_SCHEMA_BYTES = 1024 * 1024;

/**
 * How long a validation may take by the clock, all told: the worker has limits of its own in processor time, and on a busy machine a
 * call that waits is better than one that is refused. Milliseconds.
 */
export const VALIDATION_DEADLINE_MS = 30_000;

const VALID: Validation = Object.freeze({ kind: 'valid' });

export function createSchemaChecker(options: SchemaCheckerOptions = {}): SchemaChecker {
  return new WatchedSchemaChecker(options);
}

/** What is known of one schema of one digest; the schema itself stays with the tool. */
interface Known {
  readonly cost: SchemaCost;
  /** Compiled on the main thread, for cheap schemas, at the first validation. */
  validator: Validator | undefined;
  unusable: (Validation & { readonly kind: 'unusable' }) | undefined;
}

interface Job {
  readonly use: Validated;
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
  /** Apart, so that no call waits while a schema is compiled that may be a bomb. */
  readonly #checks: SchemaRunner;
  readonly #validations: SchemaRunner;
  /** Schema -> why it is unusable; `undefined`: it passed its check. */
  readonly #checked = new Map<string, string | undefined>();
  #recent = new Map<string, Map<SchemaName, Known>>();
  #older = new Map<string, Map<SchemaName, Known>>();
  #compiler: Compiler | undefined;

  constructor({ compileMs = 1_000, validateMs = 250, idleMs = 30_000, timeThread }: SchemaCheckerOptions) {
    this.#compileMs = compileMs;
    this.#validateMs = validateMs;
    const options = { file: SCHEMA_WORKER, memoryMb: 192, idleMs, timeThread };
    this.#checks = createWorkerRunner(options);
    this.#validations = createWorkerRunner(options);
  }

  async check(tool: Tool): Promise<void> {
    for (const name of SCHEMA_NAMES) await this.#check(tool, name);
  }

  async #check(tool: Tool, name: SchemaName): Promise<void> {
    const schema = member(tool.definition, name);
    if (!isObject(schema) || this.#checked.has(toKey(tool.digest, name))) return;
    const { cost } = this.#know(tool, name);
    if (cost.kind === 'refused') return;
    const outcome = await this.#checks.run({
      lane: tool.upstream,
      prepare: () => ({
        request: { kind: 'check', schema },
        deadlineMs: this.#compileMs,
        compiledMs: this.#validateMs,
      }),
    });
    switch (outcome.kind) {
      case 'usable':
        return this.#remember(tool.digest, name, undefined);
      case 'refused':
      case 'failed':
        return this.#remember(tool.digest, name, outcome.reason);
      case 'late':
        // A cheap schema cannot take that long by what it is made of: then it is the machine that is busy.
        if (cost.kind === 'cheap') return;
        return this.#remember(
          tool.digest,
          name,
          outcome.isCompiled ? 'takes too long for small values' : this.#toLate(),
        );
      case 'validated':
      case 'busy':
      case 'unavailable':
        // Says nothing about the schema: the next check decides.
        return;
    }
  }

  validate(use: Validated, name: SchemaName, value: Json): Validation | Promise<Validation> {
    const { tool } = use;
    const known = this.#know(tool, name);
    const { cost, validator } = known;
    if (known.unusable !== undefined) return known.unusable;
    if (cost.kind === 'cheap' && isCheapValue(value, cost)) {
      if (validator !== undefined) return toValidation(validator(value));
      if (this.#compiler !== undefined) return this.#validateHere({ use, name, value }, known, this.#compiler);
      return this.#validateFirst({ use, name, value }, known);
    }
    const schema = member(tool.definition, name);
    if (!isObject(schema)) return VALID;
    if (!isWorkerValue(value)) return { kind: 'unknown', reason: 'is too large to be validated' };
    return this.#validateInWorker({ use, name, value }, { schema, bytes: cost.kind === 'worker' ? cost.bytes : 0 });
  }

  unusable(digest: string): readonly string[] {
    return SCHEMA_NAMES.flatMap((name) => {
      const reason = this.#checked.get(toKey(digest, name));
      return reason === undefined ? [] : [`its ${name} ${reason}`];
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#checks.close(), this.#validations.close()]);
  }

  /** Ajv costs 40 ms and 8 MB: it is loaded for the first call, not for the start. */
  async #validateFirst(job: Job, known: Known): Promise<Validation> {
    this.#compiler ??= await import('./compile-schema.ts');
    return this.#validateHere(job, known, this.#compiler);
  }

  #validateHere({ use, name, value }: Job, known: Known, { compileSchema, SchemaRefusal }: Compiler): Validation {
    const { digest, definition } = use.tool;
    const schema = member(definition, name);
    const compiled = compileSchema(isObject(schema) ? schema : {}, { allProblems: true });
    if (compiled instanceof SchemaRefusal) return this.#toUnusable(digest, name, compiled.reason);
    known.validator = compiled;
    return toValidation(compiled(value));
  }

  async #validateInWorker({ use, name, value }: Job, { schema, bytes }: Sized): Promise<Validation> {
    const { tool, client } = use;
    const key = toKey(tool.digest, name);
    const outcome = await this.#validations.run({
      // Slow arguments are their caller's, slow results their server's: the others take turns with them.
      lane: name === 'inputSchema' ? `caller ${client.principal.id}` : `server ${tool.upstream}`,
      prepare: (known) => {
        const isNew = !known.has(key);
        const forget = isNew && sum(known.values()) + bytes > WORKER_SCHEMA_BYTES;
        if (forget) known.clear();
        // Besides its text, a compiled schema costs about this much.
        known.set(key, bytes + 5_000);
        return {
          request: { kind: 'validate', key, schema: isNew ? schema : undefined, value, forget },
          ...(isNew ? { deadlineMs: this.#compileMs, compiledMs: this.#validateMs } : { deadlineMs: this.#validateMs }),
        };
      },
    });
    switch (outcome.kind) {
      case 'late':
        if (!outcome.isCompiled) return this.#toUnusable(tool.digest, name, this.#toLate());
        return { kind: 'unknown', reason: toExcuse(outcome) };
      case 'validated':
        return toValidation(outcome.problems);
      case 'refused':
        return this.#toUnusable(tool.digest, name, outcome.reason);
      default:
        return { kind: 'unknown', reason: toExcuse(outcome) };
    }
  }

  #toLate(): string {
    return `takes longer than ${this.#compileMs} ms to compile`;
  }

  #toUnusable(digest: string, name: SchemaName, reason: string): Validation {
    this.#remember(digest, name, reason);
    return { kind: 'unusable', reason };
  }

  #remember(digest: string, name: SchemaName, reason: string | undefined): void {
    if (this.#checked.size >= MAX_CHECKED) {
      const [oldest] = this.#checked.keys();
      if (oldest !== undefined) this.#checked.delete(oldest);
    }
    this.#checked.set(toKey(digest, name), reason);
    const known = (this.#recent.get(digest) ?? this.#older.get(digest))?.get(name);
    if (known !== undefined) known.unusable = toReason(reason);
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
      const schema = member(tool.definition, name);
      const cost: SchemaCost = isObject(schema) ? toSchemaCost(schema) : { kind: 'worker', bytes: 0 };
      const key = toKey(tool.digest, name);
      if (cost.kind === 'refused') this.#remember(tool.digest, name, cost.reason);
      known = { cost, validator: undefined, unusable: toReason(this.#checked.get(key)) };
      schemas.set(name, known);
    }
    return known;
  }
}

function toKey(digest: string, name: SchemaName): string {
  return `${name} ${digest}`;
}

function toReason(reason: string | undefined): Known['unusable'] {
  return reason === undefined ? undefined : { kind: 'unusable', reason };
}

/** Outcomes that say nothing about the schema, which goes on to be used. */
function toExcuse(outcome: WorkerOutcome<WorkerReply>): string {
  if (outcome.kind === 'late') return 'takes too long to be validated';
  if (outcome.kind === 'busy') return 'could not be validated, because too many others are waiting';
  return 'could not be validated';
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

function toValidation(problems: readonly string[]): Validation {
  return problems.length === 0 ? VALID : { kind: 'invalid', problems };
}
