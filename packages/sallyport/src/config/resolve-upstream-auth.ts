import type { WrittenServer } from './file-schema.ts';
import type { Report } from './report.ts';
import type { UpstreamAuth } from './upstream-auth.ts';

type WrittenAuth = NonNullable<WrittenServer['auth']>;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const REFERENCE = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:.+|command:\s*\S.*)$/s;
const REFERENCES = ['secretRef', 'clientSecretRef', 'privateKeyRef'] as const;
/** Beside `type`: what each kind may hold. */
const CLIENT_KEYS = ['clientId', 'clientSecretRef', 'privateKeyRef', 'keyId', 'scopes', 'issuer', 'resource'] as const;
const KEYS: Readonly<Record<WrittenAuth['type'], readonly string[]>> = {
  none: [],
  static: ['header', 'scheme', 'secretRef'],
  oauth: [...CLIENT_KEYS, 'redirectPort', 'dcr', 'clientMetadataUrl', 'tokens', 'privateNetwork'],
  client_credentials: [...CLIENT_KEYS, 'privateNetwork'],
  token_exchange: [...CLIENT_KEYS, 'audience', 'privateNetwork'],
};

/** `auth` of one server, checked; `undefined` for none. What is wrong is reported. */
export function resolveUpstreamAuth(written: WrittenServer, report: Report): UpstreamAuth | undefined {
  const { auth } = written;
  if (auth === undefined || auth.type === 'none') return undefined;
  if (written.url === undefined && written.serverUrl === undefined)
    report('auth', 'is for servers with a url; give a command its secrets in env');
  for (const key of Object.keys(auth))
    if (key !== 'type' && !KEYS[auth.type].includes(key)) report(`auth.${key}`, `has no meaning for type ${auth.type}`);
  for (const key of REFERENCES) {
    const reference = auth[key];
    // The text may be the secret itself, put where its reference belongs: it is not shown.
    if (reference !== undefined && !REFERENCE.test(reference))
      report(`auth.${key}`, 'names a place and is no secret itself: write env:NAME, file:/path or command:program');
  }
  if (auth.type === 'static') checkStatic(auth, written, report);
  else checkOAuth(auth, written, report);
  const header = auth.header ?? 'authorization';
  return {
    type: auth.type,
    header: header.toLowerCase(),
    scheme: auth.scheme ?? (header.toLowerCase() === 'authorization' ? 'Bearer' : undefined),
    secretRef: auth.secretRef,
    clientId: auth.clientId,
    clientSecretRef: auth.clientSecretRef,
    privateKeyRef: auth.privateKeyRef,
    keyId: auth.keyId,
    scopes: auth.scopes,
    issuer: auth.issuer,
    resource: auth.resource,
    audience: auth.audience,
    redirectPort: auth.redirectPort ?? DEFAULT_REDIRECT_PORT,
    dcr: auth.dcr ?? true,
    clientMetadataUrl: auth.clientMetadataUrl,
    tokens: auth.type === 'client_credentials' || auth.type === 'static' ? 'shared' : (auth.tokens ?? 'principal'),
    privateNetwork: auth.privateNetwork ?? false,
  };
}

/** One port, so that the address registered with an authorization server stays the same. */
const DEFAULT_REDIRECT_PORT = 7412;

function checkStatic(auth: WrittenAuth, written: WrittenServer, report: Report): void {
  const { header = 'authorization' } = auth;
  if (auth.secretRef === undefined)
    report('auth.secretRef', 'is missing; write env:NAME, file:/path or command:program');
  if (!HEADER_NAME.test(header)) report('auth.header', 'no name of a header');
  refuseTwice(header, written, report);
}

function checkOAuth(auth: WrittenAuth, written: WrittenServer, report: Report): void {
  refuseTwice('authorization', written, report);
  // Whoever names the authorization server would be sent the client's secret or the code it was issued for.
  if (auth.clientId !== undefined && auth.issuer === undefined)
    report('auth.issuer', 'is missing; a clientId belongs to one authorization server: name its issuer');
  for (const key of ['clientSecretRef', 'privateKeyRef'] as const)
    if (auth[key] !== undefined && auth.clientId === undefined && auth.clientMetadataUrl === undefined)
      report(`auth.${key}`, 'needs clientId');
  for (const key of ['issuer', 'resource', 'clientMetadataUrl'] as const) checkUrl(key, auth[key], report);
  if (auth.type === 'oauth') return;
  if (auth.clientId === undefined) report('auth.clientId', `is missing; type ${auth.type} needs it`);
  if (auth.clientSecretRef === undefined && auth.privateKeyRef === undefined)
    report('auth', `of type ${auth.type} needs clientSecretRef or privateKeyRef`);
  if (auth.type === 'token_exchange' && auth.privateKeyRef === undefined)
    report('auth.privateKeyRef', 'is missing; with it Sallyport signs who the caller is');
}

function checkUrl(key: string, text: string | undefined, report: Report): void {
  if (text === undefined) return;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) report(`auth.${key}`, 'no http(s) URL');
  else if (text.includes('#')) report(`auth.${key}`, 'holds a fragment (#…); remove it');
  else if (key === 'clientMetadataUrl' && (new URL(text).protocol !== 'https:' || new URL(text).pathname === '/'))
    report(`auth.${key}`, 'must be https:// with a path');
}

function refuseTwice(header: string, { headers }: WrittenServer, report: Report): void {
  if (Object.keys(headers ?? {}).some((name) => name.toLowerCase() === header.toLowerCase()))
    report('auth', `and headers both set ${header}; keep one of them`);
}
