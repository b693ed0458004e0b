import type { Attributes } from '../core/principal.ts';

/** Who may come in, resolved. `gateway.auth` as people write it is in `auth-schema.ts`. */
export interface AuthSettings {
  /** The laptop's own key and the keys of `sallyport key create`. */
  readonly keys: boolean;
  readonly oauth: OAuthSettings | undefined;
  readonly mtls: MtlsSettings | undefined;
}

/** Sallyport as an OAuth 2.1 resource server. */
export interface OAuthSettings {
  /** What clients reach this Sallyport by, without a path at the end: the begin of every `resource`. `undefined`: where it listens. */
  readonly publicUrl: string | undefined;
  readonly issuers: readonly IssuerSettings[];
  readonly requiredScopes: readonly string[];
  /** A scope, and the scopes it stands for as well. */
  readonly impliedScopes: Readonly<Record<string, readonly string[]>>;
  /** Tokens bound to a key of the client (DPoP, RFC 9449). */
  readonly dpop: 'accepted' | 'required' | 'refused';
}

export interface IssuerSettings {
  readonly issuer: string;
  /** Accepted instead of the endpoint's own address; empty: only that address is. */
  readonly audience: readonly string[];
  /** `undefined`: the issuer's metadata names it. */
  readonly jwksUri: string | undefined;
  readonly scopesClaim: string;
  /** `undefined`: tokens of this issuer bring no groups. */
  readonly groupsClaim: string | undefined;
  readonly personClaim: string;
  /** Attribute -> claim. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The issuer may stand at a private address. */
  readonly privateNetwork: boolean;
}

export interface MtlsSettings {
  /** Absolute paths of PEM files: who signs the clients' certificates, and our own certificate and key. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** Revocation lists of the CA; `undefined`: certificates count until they end. */
  readonly crl: string | undefined;
  /** No connection without a certificate. */
  readonly required: boolean;
  /** `undefined`: every certificate of the CA may come in, without groups. */
  readonly identities: readonly CertificateIdentity[] | undefined;
}

export interface CertificateIdentity {
  /** `URI:spiffe://…`, `DNS:…`, `email:…`, `CN=…` or `sha256:<64 hex digits>`. */
  readonly certificate: string;
  readonly person: string | undefined;
  readonly agent: string | undefined;
  readonly account: string | undefined;
  readonly groups: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly attributes: Attributes;
}
