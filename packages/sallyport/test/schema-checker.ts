import { createSchemaChecker, type SchemaCheckerOptions } from '../src/guard/schema/schema-checker.ts';
import { timeThread } from '../src/telemetry/thread-time.ts';

/** As the product has it: what other tests of this process use is not counted. */
export const createChecker = (options: SchemaCheckerOptions = {}) => createSchemaChecker({ timeThread, ...options });
