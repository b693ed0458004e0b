import type { Json } from '../core/json.ts';

/** An answer of the API as JSON for `--json`: it came as JSON, which its generated type does not say. */
export function toJson(answer: object): Json {
  return answer as unknown as Json;
}
