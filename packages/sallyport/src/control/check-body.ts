import { FaultError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { compileSchema, SchemaRefusal, type Validator } from '../guard/schema/compile-schema.ts';
import type { Route } from './route.ts';

/** Compiled when the first body comes: most processes see few of them. */
const validators = new WeakMap<Route, Validator>();

/** Bodies are what their schema says before a handler sees them. @throws FaultError `schema`. */
export function checkBody(route: Route, body: Json | undefined): void {
  let validate = validators.get(route);
  if (validate === undefined) {
    const compiled = compileSchema(route.body ?? {}, { allProblems: false });
    if (compiled instanceof SchemaRefusal) throw new FaultError('internal', `${route.id}: ${compiled.reason}`);
    validate = compiled;
    validators.set(route, validate);
  }
  const problems = validate(body);
  if (problems.length > 0) throw new FaultError('schema', `The body is not valid: ${problems.join('; ')}`);
}
