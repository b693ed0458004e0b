import type { ServerSettings } from '../../config/settings.ts';
import { toTokenOwner } from '../../config/upstream-auth.ts';
import type { Principal } from '../../core/principal.ts';
import type { Credential } from './credential.ts';
import { MachineCredential } from './machine-credential.ts';
import { PersonCredential } from './person-credential.ts';
import { StaticCredential } from './static-credential.ts';
import { type AuthPorts, toAuthTarget } from './surroundings.ts';

/** Makes the credential a caller uses at an upstream that has `auth`. */
export type CreateCredential = (settings: ServerSettings, principal: Principal) => Credential;

export function createCredentials(ports: AuthPorts): CreateCredential {
  return (settings, principal) => {
    const target = toAuthTarget(settings);
    const { readSecret, clock } = ports;
    switch (target.auth.type) {
      case 'static':
        return new StaticCredential({ target, readSecret, clock });
      case 'oauth':
        return new PersonCredential({ target, owner: toTokenOwner(target.auth, principal), ports });
      case 'client_credentials':
      case 'token_exchange':
      case 'enterprise':
      case 'workload_identity':
        return new MachineCredential({ target, principal, ports });
    }
  };
}
