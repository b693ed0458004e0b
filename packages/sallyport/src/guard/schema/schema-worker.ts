import { parentPort } from 'node:worker_threads';
import type { Json, JsonObject } from '../../core/json.ts';
import type { WorkerSign } from '../threads/worker-runner.ts';
import { compileSchema, SchemaRefusal, type Validator } from './compile-schema.ts';
import { toSampleValues } from './sample-values.ts';

/** What the main thread asks. Keys name (tool, schema) pairs. */
export type WorkerRequest =
  /** Can this schema be compiled and used? */
  | { readonly kind: 'check'; readonly schema: JsonObject }
  /** `schema` comes with the first request of a key; `forget` drops all keys before it. */
  | {
      readonly kind: 'validate';
      readonly key: string;
      readonly schema: JsonObject | undefined;
      readonly value: Json;
      readonly forget: boolean;
    };

export type WorkerReply =
  | { readonly kind: 'usable' }
  | { readonly kind: 'validated'; readonly problems: readonly string[] }
  /** The schema cannot be used. `reason` completes "its inputSchema …". */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It was not run to its end. */
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * The thread in which strangers' schemas run. It knows nothing but schemas and values and may be ended at any moment:
 * whoever asked watches the clock.
 */
function answer(request: WorkerRequest): WorkerReply {
  return request.kind === 'check' ? check(request.schema) : validate(request);
}

function check(schema: JsonObject): WorkerReply {
  const validator = compileSchema(schema, { allProblems: false });
  if (validator instanceof SchemaRefusal) return { kind: 'refused', reason: validator.reason };
  parentPort?.postMessage({ kind: 'compiled' } satisfies WorkerSign);
  for (const sample of toSampleValues(schema)) validator(sample);
  return { kind: 'usable' };
}

const validators = new Map<string, Validator | SchemaRefusal>();

function validate({ key, schema, value, forget }: WorkerRequest & { readonly kind: 'validate' }): WorkerReply {
  if (forget) validators.clear();
  let validator = validators.get(key);
  if (validator === undefined) {
    if (schema === undefined) return { kind: 'refused', reason: 'was not sent to the worker' };
    validator = compileSchema(schema, { allProblems: false });
    validators.set(key, validator);
    parentPort?.postMessage({ kind: 'compiled' } satisfies WorkerSign);
  }
  if (validator instanceof SchemaRefusal) return { kind: 'refused', reason: validator.reason };
  return { kind: 'validated', problems: validator(value) };
}

parentPort?.on('message', (request: WorkerRequest) => {
  let reply: WorkerReply;
  try {
    reply = answer(request);
  } catch (error) {
    // Above all a stack overflow: a recursive schema on a deep value.
    reply = {
      kind: request.kind === 'check' ? 'refused' : 'failed',
      reason: `cannot be run: ${error instanceof RangeError ? 'it recurses too deeply' : 'it failed'}`,
    };
  }
  parentPort?.postMessage(reply);
});
// The first compilation of a dialect builds its meta-schema, up to 140 ms on a busy machine: not at a stranger's cost.
for (const $schema of ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#']) {
  compileSchema({ $schema, type: 'object' }, { allProblems: false });
}
parentPort?.postMessage({ kind: 'ready' } satisfies WorkerSign);
