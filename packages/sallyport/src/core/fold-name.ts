import type { JsonObject } from './json.ts';

/** As generously as any reader of JSON may compare names: case (Go's encoding/json), width, invisible characters. */
export function foldName(name: string): string {
  if (/^[a-z0-9_]*$/.test(name)) return name;
  if (/^[!-~]*$/.test(name)) return name.toLowerCase();
  return name
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}\s]/gu, '')
    .toLowerCase();
}

/** Finds a member that is none of these names and that some readers would take for one of them. */
export function lookalikesOf(names: Iterable<string>): (object: JsonObject) => string | undefined {
  const exact = new Set(names);
  const folded = new Set([...exact].map(foldName));
  return (object) => {
    for (const key in object) if (!exact.has(key) && folded.has(foldName(key))) return key;
    return undefined;
  };
}
