import { z } from 'zod';
import { fileSchema } from './file-schema.ts';

/** The JSON Schema of `sallyport.json`, draft-07 because that is what editors read. */
export function toJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(fileSchema, { target: 'draft-7', io: 'input' });
  return { $schema, title: 'Sallyport configuration', ...schema };
}
