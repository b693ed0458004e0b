import { z } from 'zod';

/** The section `registries` of the file. */
export const registriesSchema = z
  .array(
    z.url({ protocol: /^https?$/, error: 'expected the address of a registry, e.g. https://registry.example.com' }),
  )
  .max(100);

/** Two spellings of one registry. */
export function toRegistryUrl(written: string): string {
  return written.replace(/\/{1,8}$/, '').replace(/\/v0\.1$/, '');
}
