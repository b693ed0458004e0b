import { FaultError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { toStep } from '../../core/json-pointer.ts';

export type TextRole = 'name' | 'title' | 'description' | 'parameter' | 'schema' | 'other';

/** One text of a definition that a model reads. */
export interface DefinitionText {
  /** JSON pointer inside the definition. */
  readonly where: string;
  readonly role: TextRole;
  readonly text: string;
}

/** A definition is read whole or not at all: what is padded beyond these is held by whoever asks. */
const MAX_TEXTS = 65_536;
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

/**
 * Every text of a definition with its place: descriptions however deep, titles, defaults, enums, and names of parameters.
 * @throws FaultError `too_large`
 */
export function textsOf(definition: JsonObject): readonly DefinitionText[] {
  const texts: DefinitionText[] = [];
  let units = 0;
  const add = (text: DefinitionText) => {
    if (text.text.length === 0) return;
    texts.push(text);
    units += text.text.length;
    if (texts.length > MAX_TEXTS || units > MAX_UNITS) throw tooLarge();
  };
  const walk = (value: Json | undefined, where: string, depth: number) => {
    if (typeof value === 'string') add({ where, role: ROLES.get(where) ?? roleInside(where), text: value });
    else if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH) throw tooLarge();
      const isNamed = NAMED.has(where.slice(where.lastIndexOf('/') + 1));
      for (const [key, inside] of Object.entries(value)) {
        const at = `${where}/${toStep(key)}`;
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

/** For what would be read in part only. */
export function tooLarge(): FaultError {
  return new FaultError('too_large', 'A definition holds more texts, layers or encoded blocks than are read.');
}

function roleInside(where: string): TextRole {
  return /^\/(?:inputSchema|outputSchema|arguments)\//.test(where) ? 'schema' : 'other';
}

function isOrdinaryKey(key: string): boolean {
  return /^[$@]?[A-Za-z0-9_.:/-]{1,64}$/.test(key);
}
