import { toJsonSchema } from '../config/json-schema.ts';
import type { Json } from '../core/json.ts';
import type { Command } from './command.ts';

export const schema: Command = {
  name: 'schema',
  summary: 'print the JSON Schema of the configuration file',
  example: 'sallyport schema > sallyport.schema.json',
  // Made by zod from plain values: nothing in it is not JSON.
  run: async () => ({ value: toJsonSchema() as Json }),
};
