import { z } from 'zod';

/** `gateway.auth` as people write it. Written -> `resolve-auth.ts` -> `auth-settings.ts`. */

const text = z.string().min(1);
/** RFC 6749 section 3.3. Quotes and blanks would break out of the challenge header. */
const scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, { error: 'expected a scope: no blanks, quotes or \\' });

const issuerSchema = z.strictObject({
  issuer: text.describe('The issuer exactly as its tokens name it in `iss`, e.g. https://login.example.com.'),
  audience: z
    .union([text, z.array(text).min(1)], { error: 'expected text or a list of texts' })
    .optional()
    .describe(
      'Accepted in `aud`, on every endpoint. Left out: only the address of the endpoint itself (RFC 8707), so that a token for one endpoint opens no other.',
    ),
  jwksUri: text.optional().describe('Where its keys are. Left out: its metadata says (RFC 8414, OpenID discovery).'),
  scopesClaim: text.default('scope').describe('Claim with the scopes: text with blanks between, or a list.'),
  groupsClaim: text
    .optional()
    .describe(
      'Claim with the groups; dots lead into objects. Left out: no groups, since whoever names groups gives rights.',
    ),
  personClaim: text
    .default('sub')
    .describe('Claim that names the person. sub, because mail addresses can be changed by their owners.'),
  attributes: z
    .record(text, text)
    .default({})
    .describe(
      'Attributes of the caller and the claims they come from, e.g. {"tenant": "org_id"}. A claim may be a list.',
    ),
  privateNetwork: z
    .boolean()
    .default(false)
    .describe('true: the issuer may stand at a private address. false, so that no metadata leads us into our network.'),
});

const identitySchema = z.strictObject({
  certificate: z
    .string()
    .regex(/^(?:URI:.+|DNS:.+|email:.+|CN=.+|sha256:[0-9a-f]{64})$/, {
      error: 'expected URI:…, DNS:…, email:…, CN=… or sha256:<64 hex digits in lower case>',
    })
    .describe('Which certificate: a subject alternative name, the common name, or the fingerprint.'),
  person: text.optional().describe('The human being who holds it.'),
  agent: text.optional().describe('The program that holds it.'),
  account: text.optional().describe('The system account. Left out, with person and agent: the name in `certificate`.'),
  groups: z.array(text).default([]).describe('Groups of this caller.'),
  scopes: z.array(scope).optional().describe('What it is limited to. Left out: not limited by scopes.'),
  attributes: z
    .record(text, z.union([text, z.array(text).min(1).max(1000)]))
    .default({})
    .describe('Names and values, or lists of values, that bind arguments to this caller.'),
});

export const authSchema = z.strictObject({
  keys: z
    .boolean()
    .default(true)
    .describe('Keys may be used: the one in the state directory and those of `key create`.'),
  oauth: z
    .strictObject({
      publicUrl: text
        .optional()
        .describe(
          'What clients reach this Sallyport by, e.g. https://mcp.example.com. Left out: where it listens. Never taken from a request: it decides which tokens are for us.',
        ),
      issuers: z.array(issuerSchema).min(1).max(20).describe('Whose access tokens are accepted.'),
      requiredScopes: z.array(scope).max(50).default([]).describe('Scopes that every token needs.'),
      impliedScopes: z
        .record(scope, z.array(scope))
        .default({})
        .describe('Scopes that stand for others as well, e.g. {"mcp:admin": ["mcp:use"]}.'),
      dpop: z
        .enum(['accepted', 'required', 'refused'])
        .default('accepted')
        .describe(
          'Tokens bound to a key of the client (RFC 9449). accepted: each request has to prove the key. required: no token without one, so that a stolen token is worth nothing.',
        ),
    })
    .optional()
    .describe('OAuth 2.1 access tokens (JWT).'),
  mtls: z
    .strictObject({
      ca: text.describe('PEM file: who signs the certificates of clients. A CA of your own, no public one.'),
      cert: text.describe('PEM file: the certificate of this Sallyport. It listens with TLS then.'),
      key: text.describe('PEM file: the private key of that certificate.'),
      crl: text
        .optional()
        .describe(
          'PEM file: certificates of clients that were revoked, signed by the CA. With an expired list nobody gets in.',
        ),
      required: z
        .boolean()
        .default(false)
        .describe('true: no connection without a certificate. false: a key or token will do, too.'),
      identities: z
        .array(identitySchema)
        .max(10_000)
        .optional()
        .describe('Who the certificates stand for; others are refused. Left out: every one of the CA, without groups.'),
    })
    .optional()
    .describe('TLS, and callers known by their certificates.'),
});

export type WrittenAuth = z.output<typeof authSchema>;
