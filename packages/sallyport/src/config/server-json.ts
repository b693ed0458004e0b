import { z } from 'zod';

/**
 * A `server.json` as others write it (schema 2025-12-11), as far as an entry of the configuration is made of it. Members of
 * later schemas are left out; every text and list has a bound, because the document comes from strangers.
 */
const text = z.string().max(2_000);
const flag = z.boolean().optional();

const plainInput = z.object({
  description: text.optional(),
  isRequired: flag,
  isSecret: flag,
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  value: text.optional(),
  default: text.optional(),
});

const variables = z.record(z.string().max(64), plainInput).optional();
const input = plainInput.extend({ variables });
const keyed = input.extend({ name: z.string().min(1).max(128) });
const argument = z.discriminatedUnion('type', [
  input.extend({ type: z.literal('positional'), valueHint: z.string().max(128).optional() }),
  keyed.extend({ type: z.literal('named') }),
]);

const packageSchema = z.object({
  registryType: z.string().max(64),
  registryBaseUrl: text.optional(),
  identifier: z.string().min(1).max(512),
  version: z.string().max(255).optional(),
  transport: z.object({ type: z.string().max(64) }).optional(),
  runtimeArguments: z.array(argument).max(64).optional(),
  packageArguments: z.array(argument).max(64).optional(),
  environmentVariables: z.array(keyed).max(64).optional(),
});

const remoteSchema = z.object({
  type: z.string().max(64),
  url: text,
  headers: z.array(keyed).max(64).optional(),
  variables,
});

export const serverJsonSchema = z.object({
  name: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/, { error: 'expected <namespace>/<name>' }),
  description: text.default(''),
  title: text.optional(),
  version: z.string().max(255).default(''),
  packages: z.array(packageSchema).max(32).default([]),
  remotes: z.array(remoteSchema).max(32).default([]),
});

export type ServerJson = z.output<typeof serverJsonSchema>;
export type ServerPackage = z.output<typeof packageSchema>;
export type ServerRemote = z.output<typeof remoteSchema>;
export type ServerInput = z.output<typeof input>;
export type KeyedInput = z.output<typeof keyed>;
export type ServerArgument = z.output<typeof argument>;
