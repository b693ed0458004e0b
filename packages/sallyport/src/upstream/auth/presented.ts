import { type CredentialHeaders, type CredentialRequest, NO_HEADERS } from './credential.ts';
import type { Tokens } from './tokens.ts';

/** Tokens as requests carry them. */
export interface Presented {
  readonly tokens: Tokens | undefined;
  /** Of one request: the same for every one, or with a proof of its own (RFC 9449 section 7.1). */
  headers(request: CredentialRequest, nowMs: number): CredentialHeaders;
  noteNonce(url: string, nonce: string): void;
}

export const NOTHING_PRESENTED: Presented = { tokens: undefined, headers: () => NO_HEADERS, noteNonce() {} };

/** @param before whose key knows nonces, where it is the same key */
export function present(read: Tokens | undefined, before: Presented = NOTHING_PRESENTED): Presented {
  if (read === undefined) return NOTHING_PRESENTED;
  const kept = before.tokens?.proofKey;
  const tokens =
    kept !== undefined && kept.thumbprint === read.proofKey?.thumbprint ? { ...read, proofKey: kept } : read;
  const { accessToken, proofKey } = tokens;
  const authorization = toAuthorization(tokens);
  const plain: CredentialHeaders = Object.freeze({ authorization });
  if (proofKey === undefined) return { tokens, headers: () => plain, noteNonce() {} };
  return {
    tokens,
    headers: ({ method, url }, nowMs) => ({
      authorization,
      dpop: proofKey.prove({ method, url, accessToken }, nowMs),
    }),
    noteNonce: (url, nonce) => proofKey.noteNonce(url, nonce),
  };
}

/** What these tokens look like on a request. */
export function toAuthorization({ accessToken, proofKey }: Tokens): string {
  return `${proofKey === undefined ? 'Bearer' : 'DPoP'} ${accessToken}`;
}
