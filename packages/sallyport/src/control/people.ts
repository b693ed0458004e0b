import type { Principal } from '../core/principal.ts';
import { listKeys } from '../storage/keys.ts';
import type { ControlPorts } from './ports.ts';

/** Who stands behind the id of a caller: the person of a key, else its account or its name. `undefined`: the id says it, or nobody knows. */
export type PersonOf = (principal: string | null | undefined) => string | undefined;

/** Keys that were revoked count as well: what they did stays theirs. */
export async function readPeople({ database }: Pick<ControlPorts, 'database'>): Promise<PersonOf> {
  const keys = await listKeys(await database());
  const people = new Map(keys.map(({ id, name, person, account }) => [`key:${id}`, person ?? account ?? name]));
  return (principal) => (typeof principal === 'string' ? people.get(principal) : undefined);
}

/** Whoever decides, for the record: the id, and the person where the id does not say it. */
export function toBy({ id, kind, person }: Principal): { readonly by: string; readonly person?: string } {
  return { by: id, ...(person === undefined || kind === 'os' ? {} : { person }) };
}
