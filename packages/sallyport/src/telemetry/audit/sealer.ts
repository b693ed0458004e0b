import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { FaultError } from '../../core/errors.ts';

/** Signs what stands so far, so that whoever can write the files but has not the key cannot cut or rewrite them. */
export interface Sealer {
  /** First 16 characters of the SHA-256 of the public key, base64url. */
  readonly keyId: string;
  /** The line (ending in `}`) with its Ed25519 signature as the last member. */
  seal(line: string): string;
}

const SIGNATURE = ',"sig":"';
/** 64 bytes in base64url. */
const SIGNATURE_LENGTH = 86;

/** The private key as it is kept: PKCS #8 in base64. */
export function makeSealKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
}

/** @param kept what {@link makeSealKey} made. @throws FaultError `config`. */
export function createSealer(kept: string): Sealer {
  const key = readPrivateKey(kept);
  const keyId = toKeyId(createPublicKey(key));
  return {
    keyId,
    seal(line) {
      const unsigned = line.slice(0, -1);
      const signature = sign(null, Buffer.from(unsigned, 'utf8'), key).toString('base64url');
      return `${unsigned}${SIGNATURE}${signature}"}`;
    },
  };
}

/** Whether a line carries this key's signature over everything before it. */
export function isSealed(line: Buffer, key: KeyObject): boolean {
  const at = line.length - SIGNATURE_LENGTH - SIGNATURE.length - 2;
  if (at <= 0 || line.toString('latin1', at, at + SIGNATURE.length) !== SIGNATURE) return false;
  if (line.toString('latin1', line.length - 2) !== '"}') return false;
  const text = line.toString('latin1', at + SIGNATURE.length, line.length - 2);
  const signature = Buffer.from(text, 'base64url');
  // One signature has one spelling: a stray bit in its last character would otherwise go unseen.
  return signature.toString('base64url') === text && verify(null, line.subarray(0, at), key, signature);
}

/** The public half: from the kept private key, or from PEM. @throws FaultError `config`. */
export function readPublicKey(text: string): KeyObject {
  try {
    return text.includes('-----BEGIN') ? createPublicKey(text) : createPublicKey(readPrivateKey(text));
  } catch (error) {
    throw new FaultError(
      'config',
      'The seal key is no Ed25519 key. Give the PEM of the public key, or the kept file.',
      {
        cause: error,
      },
    );
  }
}

export function toPem(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

export function toKeyId(key: KeyObject): string {
  return hash('sha256', key.export({ type: 'spki', format: 'der' }), 'base64url').slice(0, 16);
}

function readPrivateKey(kept: string): KeyObject {
  try {
    return createPrivateKey({ key: Buffer.from(kept.trim(), 'base64'), type: 'pkcs8', format: 'der' });
  } catch (error) {
    throw new FaultError('config', 'The file audit-seal-key holds no key. Restore it, or move it and the audit away.', {
      cause: error,
    });
  }
}
