import { pinOwnerOf } from '../../config/pins-section.ts';
import { isObject, type JsonObject, member } from '../../core/json.ts';
import { createPinStore } from '../../storage/pins.ts';
import type { ControlPorts } from '../ports.ts';

/** The tools that were ever seen, by server, with the definition that was approved; `undefined`: none is. */
export type KnownTools = ReadonlyMap<string, ReadonlyMap<string, JsonObject | undefined>>;

export async function readKnownTools({
  database,
  snapshot,
}: Pick<ControlPorts, 'database' | 'snapshot'>): Promise<KnownTools> {
  const { pins } = await createPinStore(await database(), pinOwnerOf(snapshot())).read();
  const found = new Map<string, Map<string, JsonObject | undefined>>();
  for (const { server, kind, name, approved, seen } of pins) {
    // Gone from its server, it is not there to be named.
    if (kind !== 'tools' || seen === undefined) continue;
    const tools = found.get(server) ?? new Map<string, JsonObject | undefined>();
    found.set(server, tools.set(name, approved === undefined ? undefined : readObject(approved.text)));
  }
  return found;
}

/** The approved annotations of a definition. */
export function hintsOf(definition: JsonObject | undefined): JsonObject {
  const annotations = member(definition, 'annotations');
  return isObject(annotations) ? annotations : {};
}

function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
