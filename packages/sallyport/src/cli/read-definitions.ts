import type { Inspected, InspectedKind } from '../catalog/pins/inspection.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type Json, member, memberText } from '../core/json.ts';

/** Key of a list result -> what its items are, and the member that names one. */
const LISTS = [
  ['tools', 'tools', 'name'],
  ['prompts', 'prompts', 'name'],
  ['resources', 'resources', 'uri'],
  ['resourceTemplates', 'resourceTemplates', 'uriTemplate'],
] as const satisfies readonly (readonly [string, InspectedKind, string])[];

/** Definitions in one file; the largest real server has some thousands. */
const MAX_DEFINITIONS = 50_000;

/**
 * The definitions in a JSON document: the answer to `tools/list` and its like or to `initialize`, with or without its
 * JSON-RPC envelope, an array of tools, or one tool.
 * @throws FaultError `usage`: there is none.
 */
export function readDefinitions(document: unknown, server: string): readonly Inspected[] {
  const value = isObject(document) && isObject(document['result']) ? document['result'] : document;
  const found = Array.isArray(value) ? toItems(value as readonly Json[], ['tools', 'name'], server) : [];
  if (isObject(value)) {
    for (const [key, kind, id] of LISTS) {
      const list = member(value, key);
      if (Array.isArray(list)) found.push(...toItems(list as readonly Json[], [kind, id], server));
    }
    const instructions = member(value, 'instructions');
    if (typeof instructions === 'string')
      found.push({ server, kind: 'instructions', name: '', definition: { instructions } });
    if (found.length === 0 && typeof member(value, 'name') === 'string')
      found.push(...toItems([value], ['tools', 'name'], server));
  }
  if (found.length === 0)
    throw new FaultError('usage', 'There is no definition in it: give the answer to tools/list, as JSON.');
  if (found.length > MAX_DEFINITIONS)
    throw new FaultError('too_large', `${found.length} definitions are more than ${MAX_DEFINITIONS}.`);
  return found;
}

function toItems(list: readonly Json[], [kind, id]: readonly [InspectedKind, string], server: string): Inspected[] {
  return list.flatMap((definition): Inspected[] => {
    if (!isObject(definition)) return [];
    return [{ server, kind, name: memberText(definition, id), definition }];
  });
}
