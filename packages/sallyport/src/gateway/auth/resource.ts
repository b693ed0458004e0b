import type { OAuthSettings } from '../../config/auth-settings.ts';
import { PROOF_ALGORITHMS, toAddress } from './proof.ts';

/** Where the metadata of a resource is (RFC 9728 section 3): this, and then the path of the resource. */
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** Whether a server or bundle of this name exists is not told to whoever asks without a token. */
const ENDPOINT = /^\/(?:(?:(?:servers|bundles)\/[^/?#]{1,200}\/)?(?:mcp|sse)|api|metrics)$/;
const METADATA_AGE_S = 3_600;

/** The protected resources of this listener: every endpoint is one, with an address and an audience of its own. */
export interface Resources {
  /** Addresses under which a token for this path may know it, e.g. `https://mcp.example.com/mcp`. */
  namesOf(path: string): readonly string[];
  /** The metadata document that is served at this path, if one is. */
  metadataAt(path: string, host: string | undefined): { readonly json: string; readonly maxAgeS: number } | undefined;
  /** Addresses under which a client may know exactly this path. */
  addressesOf(path: string): readonly string[];
  /** Where the metadata of an endpoint is. */
  metadataUrl(path: string, host: string | undefined): string;
}

/** @param origins what this listener is reached by; never what a request claims, since it decides which tokens are for us */
export function createResources(settings: OAuthSettings, origins: readonly string[]): Resources {
  const bases = settings.publicUrl === undefined ? origins : [settings.publicUrl];
  const first = bases[0] ?? '';
  /** A client compares what it is told with the address it used: the name it used, if it is one of ours. */
  const baseFor = (host: string | undefined) => bases.find((base) => new URL(base).host === host) ?? first;
  const scopes = settings.requiredScopes.filter((scope) => scope !== 'offline_access');
  return {
    addressesOf: (path) => bases.map((base) => toAddress(base + path)),
    namesOf: (path) => bases.map((base) => base + toResourcePath(path)),
    metadataAt(path, host) {
      const resource = toDescribed(path, pathOf(first));
      if (resource === undefined) return undefined;
      const json = JSON.stringify({
        resource: baseFor(host) + resource,
        authorization_servers: settings.issuers.map(({ issuer }) => issuer),
        ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
        bearer_methods_supported: ['header'],
        ...(settings.dpop === 'refused' ? {} : { dpop_signing_alg_values_supported: PROOF_ALGORITHMS }),
        ...(settings.dpop === 'required' ? { dpop_bound_access_tokens_required: true } : {}),
        resource_name: 'Sallyport',
      });
      return { json, maxAgeS: METADATA_AGE_S };
    },
    metadataUrl(path, host) {
      const { origin, pathname } = new URL(baseFor(host));
      const resource = toResourcePath(path);
      return origin + WELL_KNOWN + (pathname === '/' ? '' : pathname) + (ENDPOINT.test(resource) ? resource : '/mcp');
    },
  };
}

/**
 * Messages of HTTP+SSE belong to the stream that named their path; the whole REST API is one resource, and so is an endpoint
 * with its plain list. The registry names servers that the shared endpoint shows, so it goes with that.
 */
function toResourcePath(path: string): string {
  if (path.startsWith('/v0.1/')) return '/mcp';
  if (path.startsWith('/api/')) return '/api';
  return path.replace(/\/plain$/, '').replace(/\/message$/, '/sse');
}

/** The endpoint that a metadata path speaks about; the bare path speaks about the endpoint for everything. */
function toDescribed(path: string, base: string): string | undefined {
  if (!path.startsWith(WELL_KNOWN)) return undefined;
  const rest = path.slice(WELL_KNOWN.length);
  if (rest === '' || rest === '/' || rest === base) return '/mcp';
  const described = base !== '' && rest.startsWith(`${base}/`) ? rest.slice(base.length) : rest;
  return ENDPOINT.test(described) ? described : undefined;
}

function pathOf(base: string): string {
  if (!URL.canParse(base)) return '';
  const { pathname } = new URL(base);
  return pathname === '/' ? '' : pathname;
}
