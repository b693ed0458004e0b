import { isAbsolute, resolve as resolvePath } from 'node:path';
import { isLoopbackAddress } from '../core/public-address.ts';
import type { WrittenAuth } from './auth-schema.ts';
import type { AuthSettings, IssuerSettings, MtlsSettings, OAuthSettings } from './auth-settings.ts';

/** Reports something wrong at a key of `gateway`. */
type Report = (key: string, message: string) => void;

/** `gateway.auth` as an object, checked for what would let in nobody or the wrong ones. Paths start at the file's directory. */
export function resolveAuth(written: WrittenAuth, directory: string, report: Report): AuthSettings {
  const { keys, oauth, mtls } = written;
  if (!keys && oauth === undefined && mtls === undefined)
    report('auth', 'lets nobody in; leave keys on, or add oauth or mtls');
  return {
    keys,
    oauth: oauth === undefined ? undefined : resolveOAuth(oauth, report),
    mtls: mtls === undefined ? undefined : resolveMtls(mtls, directory, report),
  };
}

function resolveOAuth(written: NonNullable<WrittenAuth['oauth']>, report: Report): OAuthSettings {
  const { publicUrl, issuers, requiredScopes, impliedScopes, dpop } = written;
  if (publicUrl !== undefined) checkAddress('auth.oauth.publicUrl', publicUrl, report);
  // MCP 2026-07-28, Refresh Tokens: it asks for a refresh token, which is between client and issuer, and is no right here.
  if (requiredScopes.includes('offline_access'))
    report('auth.oauth.requiredScopes', 'offline_access is no scope of a resource; remove it');
  const seen = new Set<string>();
  for (const [index, { issuer }] of issuers.entries()) {
    // Two entries for one issuer: which audience counts would be a matter of order.
    if (seen.has(issuer)) report(`auth.oauth.issuers.${index}.issuer`, 'stands twice; keep one entry');
    seen.add(issuer);
  }
  return {
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    issuers: issuers.map((issuer, index) => resolveIssuer(issuer, `auth.oauth.issuers.${index}`, report)),
    requiredScopes: [...new Set(requiredScopes)],
    impliedScopes,
    dpop,
  };
}

function resolveIssuer(
  written: NonNullable<WrittenAuth['oauth']>['issuers'][number],
  key: string,
  report: Report,
): IssuerSettings {
  const { issuer, audience, jwksUri, groupsClaim, ...rest } = written;
  checkAddress(`${key}.issuer`, issuer, report);
  if (jwksUri !== undefined) checkAddress(`${key}.jwksUri`, jwksUri.replace(/\?.*$/s, ''), report);
  return { ...rest, issuer, audience: audience === undefined ? [] : [audience].flat(), jwksUri, groupsClaim };
}

/** RFC 8414 section 2: https, no query, no fragment. Plain http only where nobody stands between. */
function checkAddress(key: string, text: string, report: Report): void {
  if (!URL.canParse(text)) {
    report(key, 'no URL; write https://…');
    return;
  }
  const { protocol, hostname, username, password } = new URL(text);
  const isPlain = protocol === 'http:' && (hostname === 'localhost' || isLoopbackAddress(hostname));
  if (protocol !== 'https:' && !isPlain) report(key, 'not https://; http:// is for loopback only');
  else if (username !== '' || password !== '') report(key, 'holds a user name or password; remove it');
  else if (/[?#]/.test(text)) report(key, 'holds a query or fragment; remove it');
}

function resolveMtls(written: NonNullable<WrittenAuth['mtls']>, directory: string, report: Report): MtlsSettings {
  const { ca, cert, key, crl, required, identities } = written;
  const absolute = (path: string) => (isAbsolute(path) ? path : resolvePath(directory, path));
  const seen = new Set<string>();
  for (const [index, { certificate }] of (identities ?? []).entries()) {
    if (seen.has(certificate)) report(`auth.mtls.identities.${index}.certificate`, 'stands twice; keep one entry');
    seen.add(certificate);
  }
  return {
    ca: absolute(ca),
    cert: absolute(cert),
    key: absolute(key),
    crl: crl === undefined ? undefined : absolute(crl),
    required,
    identities: identities?.map(({ certificate, person, agent, account, groups, scopes, attributes }) => ({
      certificate,
      person,
      agent,
      account,
      groups,
      scopes,
      attributes,
    })),
  };
}
