import { createHash } from 'node:crypto';
import type { Envelope } from '../../core/envelope.ts';
import type { Json } from '../../core/json.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { TO_SERVERS } from './secrets.ts';
import { eachValue } from './walk-strings.ts';
import { toShown } from './weigh-secrets.ts';

export interface OwnKeyPorts {
  /** The gateway's key, seal keys, the control token. */
  readonly secrets: () => readonly string[];
  /** Is this the SHA-256, in hex, of a key that was made for a caller? The keys themselves are not stored. */
  readonly isKey: (digest: string) => boolean;
}

/**
 * Sallyport's own keys never go to a server, whatever the configuration says of secrets: with one, a server is an operator or
 * another caller. They are compared with what they are, so that nothing else is taken for one.
 */
export function ownKeys(ports: OwnKeyPorts): Guard {
  return {
    name: 'own-keys',
    kinds: TO_SERVERS,
    judge({ body, fixed }) {
      left = MOST_DIGESTS;
      return holds(body, ports, 0) || holds(fixed, ports, 0) ? refuse({ body, fixed }, ports) : ALLOW;
    },
  };
}

/** No secret of ours is shorter. Characters. */
const SHORTEST = 32;
/** `sp_` and 256 random bits, as `storage/keys.ts` makes them. */
const KEY = /sp_[A-Za-z0-9_-]{43}/g;
/** More texts of that form in one message are none of honest work, and each costs a digest. */
const MOST_DIGESTS = 1_000;
/** As in `walk-strings.ts`. */
const MAX_DEPTH = 600;

/** Of the message that is judged: judging is synchronous, and an object for it would be one for every call. */
let left = 0;

/** Without pointers: they are made for a message that is refused only. */
function holds(value: Json | undefined, ports: OwnKeyPorts, depth: number): boolean {
  if (typeof value === 'string') return value.length >= SHORTEST && isOwn(value, ports);
  if (typeof value !== 'object' || value === null) return false;
  if (depth > MAX_DEPTH) throw new RangeError('nested too deep to be read');
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (holds(value[i], ports, depth + 1)) return true;
    return false;
  }
  const object = value as { readonly [key: string]: Json | undefined }; // neither a list nor null
  for (const key in object)
    if ((key.length >= SHORTEST && isOwn(key, ports)) || holds(object[key], ports, depth + 1)) return true;
  return false;
}

function isOwn(text: string, ports: OwnKeyPorts): boolean {
  const secrets = ports.secrets();
  for (let i = 0; i < secrets.length; i++) if (text.includes(secrets[i] as string)) return true; // within the bounds
  KEY.lastIndex = 0;
  for (let hit = KEY.exec(text); hit !== null; hit = KEY.exec(text)) {
    if (--left < 0) return true;
    if (ports.isKey(createHash('sha256').update(hit[0]).digest('hex'))) return true;
    // A key may begin within what looked like one.
    KEY.lastIndex = hit.index + 1;
  }
  return false;
}

function refuse(message: Pick<Envelope, 'body' | 'fixed'>, ports: OwnKeyPorts): Verdict {
  left = MOST_DIGESTS;
  let place: string | undefined;
  for (const part of [message.body, message.fixed])
    eachValue(part, ({ text, pointer, form }) => {
      // The last step of a pointer to a name is the name.
      if (place === undefined && text.length >= SHORTEST && isOwn(text, ports))
        place = form === 'name' ? pointer.slice(0, pointer.lastIndexOf('/')) : pointer;
    });
  const reason = `A key of Sallyport itself stands at ${toShown(place ?? '')}. It never goes to a server. Leave it out, then call again.`;
  return { kind: 'deny', code: 'denied', reason };
}
