import { isHeaderName } from '../core/header.ts';
import type { WrittenServer } from './file-schema.ts';
import type { Report } from './report.ts';
import type { IdentityProvider, UpstreamAuth } from './upstream-auth.ts';

type WrittenAuth = NonNullable<WrittenServer['auth']>;

const REFERENCE = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:.+|command:\s*\S.*)$/s;
const REFERENCES = ['secretRef', 'clientSecretRef', 'privateKeyRef', 'assertionRef'] as const;
/** Beside `type`: what each kind may hold. */
const CLIENT_KEYS = ['clientId', 'clientSecretRef', 'privateKeyRef', 'keyId', 'scopes', 'issuer', 'resource'] as const;
const TOKEN_KEYS = [...CLIENT_KEYS, 'privateNetwork', 'dpop'] as const;
const KEYS: Readonly<Record<WrittenAuth['type'], readonly string[]>> = {
  none: [],
  static: ['header', 'scheme', 'secretRef'],
  oauth: [...TOKEN_KEYS, 'redirectPort', 'dcr', 'clientMetadataUrl', 'tokens', 'defaultEndpoints'],
  client_credentials: TOKEN_KEYS,
  token_exchange: [...TOKEN_KEYS, 'audience'],
  enterprise: [...TOKEN_KEYS, 'redirectPort', 'tokens', 'idp'],
  workload_identity: [...TOKEN_KEYS, 'audience', 'assertionRef'],
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
    checkReference(`auth.${key}`, auth[key], report);
    if (key !== 'secretRef') checkReference(`auth.idp.${key}`, auth.idp?.[key], report);
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
    assertionRef: auth.assertionRef,
    idp: toIdentityProvider(auth.idp),
    dpop: auth.dpop ?? 'auto',
    defaultEndpoints: auth.defaultEndpoints ?? false,
    tokens: SHARED.has(auth.type) ? 'shared' : (auth.tokens ?? 'principal'),
    privateNetwork: auth.privateNetwork ?? false,
  };
}

/** One port, so that the address registered with an authorization server stays the same. */
const DEFAULT_REDIRECT_PORT = 7412;

/** Tokens that say nothing about who calls. */
const SHARED: ReadonlySet<WrittenAuth['type']> = new Set(['static', 'client_credentials', 'workload_identity']);

function toIdentityProvider(written: WrittenAuth['idp']): IdentityProvider | undefined {
  if (written === undefined) return undefined;
  const { issuer, clientId, clientSecretRef, privateKeyRef, keyId, scopes = [], assertionRef } = written;
  return { issuer, clientId, clientSecretRef, privateKeyRef, keyId, scopes, assertionRef };
}

/** The text may be the secret itself, put where its reference belongs: it is not shown. */
function checkReference(key: string, reference: string | undefined, report: Report): void {
  if (reference !== undefined && !REFERENCE.test(reference))
    report(key, 'names a place and is no secret itself: write env:NAME, file:/path or command:program');
}

function checkStatic(auth: WrittenAuth, written: WrittenServer, report: Report): void {
  const { header = 'authorization' } = auth;
  if (auth.secretRef === undefined)
    report('auth.secretRef', 'is missing; write env:NAME, file:/path or command:program');
  if (!isHeaderName(header)) report('auth.header', 'no name of a header');
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
  if (auth.type === 'enterprise') checkEnterprise(auth, report);
  if (auth.type === 'workload_identity') {
    if (auth.assertionRef === undefined)
      report('auth.assertionRef', 'is missing; write file:/path, env:NAME or command:program');
    return;
  }
  if (auth.clientSecretRef === undefined && auth.privateKeyRef === undefined)
    report('auth', `of type ${auth.type} needs clientSecretRef or privateKeyRef`);
  if (auth.type === 'token_exchange' && auth.privateKeyRef === undefined)
    report('auth.privateKeyRef', 'is missing; with it Sallyport signs who the caller is');
}

function checkEnterprise({ idp, tokens }: WrittenAuth, report: Report): void {
  if (idp === undefined) {
    report('auth.idp', 'is missing; name the identity provider and the client Sallyport is there');
    return;
  }
  checkUrl('idp.issuer', idp.issuer, report);
  // One assertion speaks for one person: as everybody's own it would be a lie.
  if (idp.assertionRef !== undefined && tokens !== 'shared')
    report('auth.idp.assertionRef', 'speaks for one person; with tokens: shared all callers act as that person');
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
