import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { isProblem, parseFile } from './parse-file.ts';

/**
 * The servers of a file as they are written, unchecked and with their variables, for those who show or edit them.
 * @throws FaultError `config` when the text cannot be read at all.
 */
export function listWritten(file: string, text: string, yaml: boolean): ReadonlyMap<string, JsonObject> {
  const parsed = parseFile(text, yaml);
  if (isProblem(parsed)) {
    throw new FaultError(
      'config',
      `${file}: ${parsed.line === undefined ? '' : `line ${parsed.line}: `}${parsed.message}.`,
    );
  }
  const found = new Map<string, JsonObject>();
  for (const key of ['mcpServers', 'servers']) {
    const map = member(parsed.value, key);
    for (const [name, entry] of Object.entries(isObject(map) ? map : {})) {
      found.set(name, isObject(entry) ? entry : {});
    }
  }
  return found;
}
