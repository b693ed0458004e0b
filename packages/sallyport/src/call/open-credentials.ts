import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { isHexKey } from '../core/hex-key.ts';
import type { Log } from '../core/log.ts';
import type { Database } from '../storage/database.ts';
import { createLateDatabase } from '../storage/late-database.ts';
import { loadOrCreateSecret } from '../storage/state-file.ts';
import { createTokenVault } from '../storage/upstream-tokens.ts';
import { type CreateCredential, createCredentials } from '../upstream/auth/credentials.ts';
import { createReadSecret } from '../upstream/auth/secret-reference.ts';
import type { AuthPorts } from '../upstream/auth/surroundings.ts';

export interface CredentialsOptions {
  readonly stateDir: string;
  /** Where the key of the vault stands; `undefined`: in the state directory. */
  readonly keyRef: () => string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  /** Of this process, closed by whoever opened it; `undefined`: one of its own. */
  readonly database?: (() => Promise<Database>) | undefined;
}

/** What proves Sallyport to its upstreams. Nothing is opened or made before a server needs it. */
export interface OpenCredentials {
  readonly ports: AuthPorts;
  readonly create: CreateCredential;
  /** Idempotent. */
  close(): Promise<void>;
}

export function openCredentials({ stateDir, keyRef, env, clock, log, database }: CredentialsOptions): OpenCredentials {
  const own = createLateDatabase(join(stateDir, 'sallyport.db'));
  const readSecret = createReadSecret(env);
  const vault = createTokenVault({
    database: database ?? own.get,
    readKey: () => {
      const reference = keyRef();
      return reference === undefined
        ? loadOrCreateSecret(join(stateDir, 'token-key'), () => randomBytes(32).toString('hex'), isHexKey)
        : readSecret(reference);
    },
    clock,
  });
  const ports = { vault, readSecret, clock, log };
  return {
    ports,
    create: createCredentials(ports),
    close: own.close,
  };
}
