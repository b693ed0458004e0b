import { z } from 'zod';

const text = () => z.string().min(1).optional();

/** How Sallyport proves itself to an HTTP server; which keys go with which type is checked in `resolve-upstream-auth.ts`. */
export const upstreamAuthSchema = z.strictObject({
  type: z
    .enum(['none', 'static', 'oauth', 'client_credentials', 'token_exchange'])
    .describe(
      'static: a secret in a header. oauth: tokens a person signed in for. client_credentials: tokens of Sallyport’s own. token_exchange: tokens for each caller (RFC 8693).',
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
  audience: text().describe('token_exchange: the server’s name at the authorization server.'),
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
    .describe('oauth: principal, each caller signs in; shared, one sign-in serves all. Left out: principal.'),
  privateNetwork: z
    .boolean()
    .optional()
    .describe('true: the authorization server may have a private address. Left out: false; a server could name any.'),
});
