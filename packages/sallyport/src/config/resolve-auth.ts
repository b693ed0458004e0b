import { isAbsolute, resolve as resolvePath } from 'node:path';
import type { WrittenAuth } from './auth-schema.ts';
import type {
  AuthSettings,
  CertificateIdentity,
  IssuerSettings,
  MtlsSettings,
  OAuthSettings,
} from './auth-settings.ts';
import type { Report } from './resolve.ts';

/** `gateway.auth` as an object: checked and complete. Paths start at the file's directory. */
export function resolveAuth(written: WrittenAuth, directory: string, report: Report): AuthSettings {
  const { keys, oauth, mtls } = written;
  if (!keys && oauth === undefined && mtls === undefined)
    report('auth', 'lets nobody in; allow keys, or add oauth or mtls');
  return {
    keys,
    oauth: oauth === undefined ? undefined : resolveOAuth(oauth, report),
    mtls: mtls === undefined ? undefined : resolveMtls(mtls, directory, report),
  };
}

function resolveOAuth(written: NonNullable<WrittenAuth['oauth']>, report: Report): OAuthSettings {
  const { publicUrl, issuers, requiredScopes, impliedScopes } = written;
  const seen = new Set<string>();
  for (const { issuer } of issuers) {
    // Two entries for one issuer: which audience counts would be a matter of order.
    if (seen.has(issuer)) report('auth.oauth.issuers', 'names an issuer twice; keep one of them');
    seen.add(issuer);
  }
  return {
    publicUrl: publicUrl === undefined ? undefined : resolvePublicUrl(publicUrl, report),
    issuers: issuers.map((issuer) => resolveIssuer(issuer, report)),
    requiredScopes,
    impliedScopes,
  };
}

/** A query or a slash at the end would stand in the middle of every resource. */
function resolvePublicUrl(text: string, report: Report): string {
  const key = 'auth.oauth.publicUrl';
  if (!isWebAddress(text)) report(key, 'no address; write https:// and the host clients use');
  else if (new URL(text).search !== '' || text.includes('#')) report(key, 'holds a query or fragment; remove it');
  return text.replace(/\/+$/, '');
}

function resolveIssuer(written: NonNullable<WrittenAuth['oauth']>['issuers'][number], report: Report): IssuerSettings {
  const { issuer, audience, jwksUri, groupsClaim, ...rest } = written;
  const key = 'auth.oauth.issuers';
  if (!isWebAddress(issuer)) report(key, 'holds an issuer that is no http(s) address');
  if (jwksUri !== undefined && !isWebAddress(jwksUri)) report(key, 'holds a jwksUri that is no http(s) address');
  return { ...rest, issuer, audience: audience === undefined ? [] : [audience].flat(), jwksUri, groupsClaim };
}

function resolveMtls(written: NonNullable<WrittenAuth['mtls']>, directory: string, report: Report): MtlsSettings {
  const { ca, cert, key, required, identities } = written;
  const at = (path: string) => (isAbsolute(path) ? path : resolvePath(directory, path));
  const seen = new Set<string>();
  for (const { certificate } of identities ?? []) {
    if (seen.has(certificate)) report('auth.mtls.identities', 'names a certificate twice; keep one of them');
    seen.add(certificate);
  }
  return { ca: at(ca), cert: at(cert), key: at(key), required, identities: identities?.map(toIdentity) };
}

function toIdentity(written: NonNullable<NonNullable<WrittenAuth['mtls']>['identities']>[number]): CertificateIdentity {
  const { certificate, person, agent, account, groups, scopes, attributes } = written;
  return { certificate, person, agent, account, groups, scopes, attributes };
}

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}
