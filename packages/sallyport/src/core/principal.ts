/**
 * Who calls: known by the front before anything else happens, and written on every record. A person, the program that acts
 * for them, and the account the program runs under are told apart; who acted for whom stays visible (RFC 8693 section 4.1).
 */
export interface Principal {
  /** Stable and unique: `key:<id>`, `oauth:<issuer>#<sub>`, `mtls:<fingerprint>`, `local`, `os:<user>`, `stdio`, `anyone`. */
  readonly id: string;
  readonly kind: 'key' | 'oauth' | 'mtls' | 'os' | 'stdio' | 'open';
  /** The human being, when one is known. */
  readonly person?: string | undefined;
  /** The client program, as whoever vouches for it names it (OAuth `client_id`, the key's name). */
  readonly agent?: string | undefined;
  /** The account of a system without a person behind it. */
  readonly account?: string | undefined;
  /** Who acts for the person, the nearest first. */
  readonly actors?: readonly string[] | undefined;
  readonly groups: readonly string[];
  /** What the credential allows; `undefined`: it names no scopes and is not limited by any. */
  readonly scopes?: readonly string[] | undefined;
  /** Names and values that bind arguments to this caller, e.g. `tenant`. */
  readonly attributes?: Attributes | undefined;
  /** Milliseconds since the epoch. After it the credential is worth nothing. */
  readonly expiresAt?: number | undefined;
}

/** An attribute has one value or several: somebody may have three repositories. */
export type Attributes = Readonly<Record<string, string | readonly string[]>>;

/** The laptop's own key holder. */
export const KEY_HOLDER: Principal = Object.freeze({
  id: 'local',
  kind: 'key',
  groups: Object.freeze(['admin']) as readonly string[],
});
/** The program that started `sallyport stdio`: the operating system vouches for it. */
export const PARENT_PROCESS: Principal = Object.freeze({
  id: 'stdio',
  kind: 'stdio',
  groups: Object.freeze(['admin']) as readonly string[],
});
/** Who may open the state directory: the operating system vouches for them, and no configuration takes that away. */
export function toLocalUser(name: string): Principal {
  return Object.freeze({
    id: `os:${name}`,
    kind: 'os',
    person: name,
    groups: Object.freeze(['admin']) as readonly string[],
  });
}

/** Anyone, where the operator turned authentication off on loopback. */
export const ANYONE: Principal = Object.freeze({
  id: 'anyone',
  kind: 'open',
  groups: Object.freeze([]) as readonly string[],
});
