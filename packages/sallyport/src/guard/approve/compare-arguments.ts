import { toCanonicalJson } from '../../core/canonical-json.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { toStep } from '../../core/json-pointer.ts';

/** One place where two sets of arguments differ; a side that has no such place is left out. */
export interface Difference {
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

const MAX_DIFFERENCES = 100;

/** What changed, place by place (JSON pointers), at most a hundred places. */
export function compareArguments(before: JsonObject, after: JsonObject): readonly Difference[] {
  const found: Difference[] = [];
  compare({ path: '', before, after }, found);
  return found;
}

function compare(at: { path: string; before: Json | undefined; after: Json | undefined }, found: Difference[]): void {
  const { path, before, after } = at;
  if (found.length >= MAX_DIFFERENCES) return;
  if (before !== undefined && after !== undefined && toCanonicalJson(before) === toCanonicalJson(after)) return;
  if (!isObject(before) || !isObject(after)) {
    found.push({ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) });
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const own = (side: JsonObject) => (Object.hasOwn(side, key) ? side[key] : undefined);
    compare({ path: `${path}/${toStep(key)}`, before: own(before), after: own(after) }, found);
  }
}
