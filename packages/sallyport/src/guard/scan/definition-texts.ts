import { isObject, type Json, type JsonObject } from '../../core/json.ts';

export type TextRole = 'name' | 'title' | 'description' | 'parameter' | 'schema' | 'other';

/** One text of a definition that a model reads. */
export interface DefinitionText {
  /** JSON pointer inside the definition. */
  readonly where: string;
  readonly role: TextRole;
  readonly text: string;
}

/** A definition is read whole up to these; what is larger than that is no definition (size limits stand before). */
const MAX_TEXTS = 4_000;
const MAX_UNITS = 1_048_576;
const MAX_DEPTH = 64;
const ROLES: ReadonlyMap<string, TextRole> = new Map([
  ['/name', 'name'],
  ['/title', 'title'],
  ['/annotations/title', 'title'],
  ['/description', 'description'],
  ['/instructions', 'description'],
]);
/** Members of a schema whose keys are names that the server chose. */
const NAMED = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
]);

/** Every text of a definition with its place: descriptions however deep, titles, defaults, enums, and names of parameters. */
export function textsOf(definition: JsonObject): readonly DefinitionText[] {
  const texts: DefinitionText[] = [];
  let units = 0;
  const add = (text: DefinitionText) => {
    if (text.text.length === 0 || texts.length >= MAX_TEXTS || units >= MAX_UNITS) return;
    texts.push(text);
    units += text.text.length;
  };
  const walk = (value: Json | undefined, where: string, depth: number) => {
    if (typeof value === 'string') add({ where, role: ROLES.get(where) ?? roleInside(where), text: value });
    else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH && texts.length < MAX_TEXTS) {
      const isNamed = NAMED.has(where.slice(where.lastIndexOf('/') + 1));
      for (const [key, inside] of Object.entries(value)) {
        const at = `${where}/${escapeToken(key)}`;
        // A key that the server chose is read like any other text; those of the protocol say nothing.
        if (isObject(value) && (isNamed || !isOrdinaryKey(key)))
          add({ where: at, role: isNamed ? 'parameter' : 'schema', text: key });
        walk(inside, at, depth + 1);
      }
    }
  };
  walk(definition, '', 0);
  return texts;
}

function roleInside(where: string): TextRole {
  return /^\/(?:inputSchema|outputSchema|arguments)\//.test(where) ? 'schema' : 'other';
}

function isOrdinaryKey(key: string): boolean {
  return /^[$@]?[A-Za-z0-9_.:/-]{1,64}$/.test(key);
}

function escapeToken(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}
