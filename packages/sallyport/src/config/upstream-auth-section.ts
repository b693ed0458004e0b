import { z } from 'zod';

const text = () => z.string().min(1).optional();

/** How Sallyport proves itself to an HTTP server; which keys go with which type is checked in `resolve-upstream-auth.ts`. */
export const upstreamAuthSchema = z.strictObject({
  type: z
    .enum(['none', 'static', 'oauth', 'client_credentials', 'token_exchange', 'enterprise', 'workload_identity'])
    .describe(
      'static: a secret in a header. oauth: tokens a person signed in for. client_credentials: tokens of Sallyport’s own. token_exchange: tokens for each caller (RFC 8693). enterprise: the company’s identity provider vouches for each caller (ID-JAG). workload_identity: the platform vouches for Sallyport (RFC 7523).',
    ),
  header: text().describe('static: the header that carries the secret. Left out: Authorization.'),
  scheme: text().describe('static: the word before the secret. Left out: Bearer in Authorization, none elsewhere.'),
  secretRef: text().describe('static: where the secret stands: env:NAME, file:/path or command:program arguments.'),
  clientId: text().describe('A client registered beforehand at the issuer.'),
  clientSecretRef: text().describe('Where its secret stands: env:NAME, file:/path or command:program arguments.'),
  privateKeyRef: text().describe('Where its private key stands (PKCS#8 in PEM), for private_key_jwt.'),
  keyId: text().describe('The kid of that key at the issuer.'),
  scopes: z.array(z.string().min(1)).optional().describe('Left out: those the server asks for.'),
  issuer: text().describe('The one authorization server that is trusted, whichever the server names.'),
  resource: text().describe('The resource tokens are for. Left out: what the server’s metadata says, else its url.'),
  audience: text().describe(
    'token_exchange: the server’s name at the authorization server. workload_identity: whom the assertion must be for; left out: the issuer.',
  ),
  assertionRef: text().describe(
    'workload_identity: where the JWT of this workload stands: env:NAME, file:/path or command:program arguments.',
  ),
  idp: z
    .strictObject({
      issuer: z.string().min(1).describe('The identity provider’s issuer, https.'),
      clientId: z.string().min(1).describe('Sallyport’s client there.'),
      clientSecretRef: text().describe('Where its secret stands: env:NAME, file:/path or command:program arguments.'),
      privateKeyRef: text().describe('Where its private key stands (PKCS#8 in PEM), for private_key_jwt.'),
      keyId: text().describe('The kid of that key at the identity provider.'),
      scopes: z
        .array(z.string().min(1))
        .optional()
        .describe('Asked for at a sign-in beside openid and offline_access. Left out: none.'),
      assertionRef: text().describe(
        'Where an ID token stands that all callers act with; needs tokens: shared. Left out: each person signs in once with "sallyport login".',
      ),
    })
    .optional()
    .describe('enterprise: who vouches for people.'),
  dpop: z
    .enum(['auto', 'always', 'never'])
    .optional()
    .describe(
      'Tokens bound to a key of ours (RFC 9449). auto: where the server takes them. always: no others are used. Left out: auto.',
    ),
  defaultEndpoints: z
    .boolean()
    .optional()
    .describe(
      'oauth: true asks a server without any metadata at /authorize, /token and /register (MCP of March 2025). Left out: false; such a server cannot say that it knows PKCE.',
    ),
  redirectPort: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('oauth: loopback port that takes the answer of a sign-in; 0: the system chooses. Left out: 7412.'),
  dcr: z.boolean().optional().describe('oauth: false forbids dynamic client registration. Left out: true.'),
  clientMetadataUrl: text().describe(
    'oauth: the https address of a Client ID Metadata Document that stands for Sallyport.',
  ),
  tokens: z
    .enum(['principal', 'shared'])
    .optional()
    .describe(
      'oauth, enterprise: principal, each caller signs in; shared, one sign-in serves all. Left out: principal.',
    ),
  privateNetwork: z
    .boolean()
    .optional()
    .describe('true: the authorization server may have a private address. Left out: false; a server could name any.'),
});
