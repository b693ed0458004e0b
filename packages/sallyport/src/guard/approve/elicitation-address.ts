import { type JsonObject, member } from '../../core/json.ts';
import { isLoopbackAddress } from '../../core/public-address.ts';

/** Longer ones are read by nobody, and a person is to see the whole of it. Characters. */
const MAX_ADDRESS = 2_048;
/** Blanks and control characters hide where an address ends; marks of direction turn it round. */
const UNREADABLE = /[\s\p{Cc}\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

/**
 * May the address that a server sends a person to (URL mode elicitation) be opened? Only web pages may, plain http only on
 * this machine: clients hand it to a browser (MCP 2026-07-28 security best practices, authorization URL validation).
 * @returns why the question is refused; `undefined`: nothing wrong with it
 */
export function findUnsafeAddress(params: JsonObject): string | undefined {
  const written = member(params, 'url');
  if (typeof written !== 'string' || !URL.canParse(written)) return refuse('is no URL');
  if (written.length > MAX_ADDRESS || UNREADABLE.test(written)) return refuse('cannot be read by a person');
  const { protocol, hostname, username, password } = new URL(written);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isHere = host === 'localhost' || isLoopbackAddress(host);
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) return refuse('is not https');
  // https://bank.example@evil.example/ is a page of evil.example.
  if (username !== '' || password !== '') return refuse('holds a user name or password');
  return undefined;
}

function refuse(why: string): string {
  return `The address that a person is to open ${why}. Sallyport does not put it to a person.`;
}
