import { nearestName } from '../config/nearest-name.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { OpenFile } from './edit-config.ts';

/** @throws FaultError `not_found` with the nearest name. */
export function findWritten({ file, servers }: OpenFile, name: string): JsonObject {
  const entry = servers.get(name);
  if (entry !== undefined) return entry;
  const near = nearestName(name, servers.keys());
  const fix = near === undefined ? '"sallyport server list" has the names.' : `Did you mean "${near}"?`;
  throw new FaultError('not_found', `${file} has no server "${name}". ${fix}`);
}
