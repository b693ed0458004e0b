import { createHash, timingSafeEqual } from 'node:crypto';
import { FaultError } from '../core/errors.ts';
import { ANYONE, KEY_HOLDER, type Principal } from '../core/principal.ts';

/** Who a request comes from, by its Authorization header. @throws FaultError `unauthenticated`. */
export type Authenticate = (authorization: string | undefined) => Principal;

/**
 * The laptop key. Compared by digest in constant time; a header seen to be right is remembered by identity, so the
 * digest is computed once per key and not once per call.
 */
export function createAuthenticate(auth: 'key' | 'none', key: string): Authenticate {
  if (auth === 'none') return () => ANYONE;
  const expected = digest(`Bearer ${key}`);
  let accepted: string | undefined;
  return (authorization) => {
    if (authorization !== undefined && authorization === accepted) return KEY_HOLDER;
    if (authorization === undefined) throw refused('needs the header "Authorization: Bearer <key>"');
    const normalised = authorization.replace(/^bearer +/i, 'Bearer ');
    if (!timingSafeEqual(digest(normalised), expected)) throw refused('was given a key that is not its own');
    accepted = authorization;
    return KEY_HOLDER;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refused(what: string): FaultError {
  return new FaultError('unauthenticated', `Sallyport ${what}. "sallyport up" prints it.`);
}
