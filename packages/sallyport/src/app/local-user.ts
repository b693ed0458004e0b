import { userInfo } from 'node:os';
import { type Principal, toLocalUser } from '../core/principal.ts';

/** Whoever this process runs as, and therefore whoever may open its state directory. */
export function localUser(): Principal {
  return toLocalUser(nameOfUser());
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
