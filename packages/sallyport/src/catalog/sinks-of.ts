import { names } from '../config/allowed.ts';
import type { Snapshot } from '../config/settings.ts';
import type { JsonObject } from '../core/json.ts';
import { SINK_CLASSES, type SinkClass } from '../core/sink.ts';

/** The effects a tool has by its definition, or by the operator's word, which counts alone. */
export type SinksOf = (
  snapshot: Snapshot,
  tool: { readonly upstream: string; readonly name: string; readonly definition: JsonObject },
) => readonly SinkClass[];

const NONE: readonly SinkClass[] = Object.freeze([]);

export type SinksIn = (definition: JsonObject) => readonly SinkClass[];

/** Definitions are kept as long as their lists: each is looked at once. */
export function rememberSinks(find: SinksIn | undefined): SinksIn {
  const found = new WeakMap<JsonObject, readonly SinkClass[]>();
  return (definition) => {
    if (find === undefined) return NONE;
    let known = found.get(definition);
    if (known === undefined) {
      try {
        known = find(definition);
      } catch {
        // Fail closed: what cannot be looked at may do anything.
        known = SINK_CLASSES;
      }
      found.set(definition, known);
    }
    return known;
  };
}

export function createSinksOf(sinksIn: SinksIn): SinksOf {
  return ({ sinks }, { upstream, name, definition }) =>
    sinks?.overrides.find((one) => names(one, { server: upstream, item: name }))?.sinks ?? sinksIn(definition);
}
