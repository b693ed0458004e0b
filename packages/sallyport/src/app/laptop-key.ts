import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { loadOrCreateSecret } from '../storage/state-file.ts';

/** The key of whoever runs Sallyport on this machine: made when it is asked for first, readable by them alone. */
export function loadLaptopKey(stateDir: string): Promise<string> {
  return loadOrCreateSecret(join(stateDir, 'key'), () => `sp_${randomBytes(24).toString('base64url')}`);
}
