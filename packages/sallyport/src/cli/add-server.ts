import { addServers } from '../config/edit-file.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { writeFileAtomically } from '../storage/write-file.ts';
import type { OpenFile } from './edit-config.ts';

/**
 * Writes one further server into a configuration; everything else in it stays as it is.
 * @throws FaultError `usage` for a name that is taken.
 */
export function addServer({ file, yaml, text, servers }: OpenFile, name: string, entry: JsonObject): void {
  if (servers.has(name))
    throw new FaultError(
      'usage',
      `${file} already has a server "${name}". Remove it first with "sallyport server remove ${name}", or choose another name.`,
    );
  writeFileAtomically(file, addServers(text, yaml, new Map([[name, entry]])));
}
