import type { Endpoint } from '../core/endpoint.ts';
import { matchesGlob } from '../core/glob.ts';
import type { AllowKind, BundleSettings, Reference, ServerAccess } from './access-settings.ts';
import type { Snapshot } from './settings.ts';

/** Is somebody of these groups admitted? `undefined` admits everyone. */
export function admits(wanted: readonly string[] | undefined, groups: readonly string[]): boolean {
  return wanted === undefined || wanted.some((group) => groups.includes(group));
}

/**
 * Does the server's own list let a caller of these groups know of the item? Entries with groups go before those without:
 * `*` for everyone must not open what another entry keeps for some.
 */
export function isAllowed(
  access: ServerAccess | undefined,
  item: { readonly kind: AllowKind; readonly name: string },
  groups: readonly string[],
): boolean {
  if (access === undefined) return true;
  if (!admits(access.groups, groups)) return false;
  const { kind, name } = item;
  const allow = access.allow[kind];
  const deny = access.deny[kind];
  if (kind === 'resources' && (allow !== undefined || deny.length > 0) && !isPlainUri(name)) return false;
  if (deny.some((pattern) => matchesGlob(pattern, name))) return false;
  if (allow === undefined) return true;
  const matching = allow.filter(({ match }) => matchesGlob(match, name));
  const restricted = matching.filter((entry) => entry.groups !== undefined);
  return restricted.length > 0 ? restricted.some((entry) => admits(entry.groups, groups)) : matching.length > 0;
}

/**
 * A URI that can be read in one way only. Patterns compare characters: `file:///data/../etc/passwd` begins like what is
 * allowed and ends elsewhere (RFC 3986 section 6.2.2 tells which spellings mean the same).
 */
export function isPlainUri(uri: string): boolean {
  if (/[\\\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(uri) || uri !== uri.normalize('NFKC')) return false;
  if (!/^[a-z][a-z0-9+.-]*:/.test(uri)) return false;
  // Unreserved characters, separators and the percent sign itself have no business being encoded.
  if (/%(?:2[de5f]|3\d|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9ae]|00)/i.test(uri)) return false;
  const path = uri.replace(/^[^:]*:(?:\/\/[^/?#]*)?/, '').split(/[?#]/, 1)[0] ?? '';
  const segments = path.split('/');
  return segments.every((part, i) => {
    const atEdge = i === 0 || i === segments.length - 1;
    return part !== '.' && part !== '..' && (part !== '' || atEdge);
  });
}

/** Does the reference name this item? */
export function names({ server, item }: Reference, of: { readonly server: string; readonly item: string }): boolean {
  return matchesGlob(server, of.server) && matchesGlob(item, of.item);
}

/** Is any item of this server in the bundle? */
export function bundleReaches(bundle: BundleSettings, server: string): boolean {
  return [...bundle.tools, ...bundle.resources, ...bundle.prompts].some((one) => matchesGlob(one.server, server));
}

const groupsInUse = new WeakMap<Snapshot, readonly string[]>();

/** The groups that make a difference anywhere in the configuration: callers who agree in these see the same. */
export function listGroups(snapshot: Snapshot): readonly string[] {
  let known = groupsInUse.get(snapshot);
  if (known === undefined) {
    const found = new Set<string>();
    const add = (groups: readonly string[] | undefined) => {
      for (const group of groups ?? []) found.add(group);
    };
    for (const { access } of snapshot.servers.values()) {
      add(access?.groups);
      for (const entries of Object.values(access?.allow ?? {})) for (const entry of entries ?? []) add(entry.groups);
    }
    for (const bundle of snapshot.bundles?.values() ?? []) add(bundle.groups);
    known = [...found].sort();
    groupsInUse.set(snapshot, known);
  }
  return known;
}

/** Is this door there for a caller of these groups? */
export function mayEnter(snapshot: Snapshot, endpoint: Endpoint, groups: readonly string[]): boolean {
  switch (endpoint.kind) {
    case 'all':
      return true;
    case 'server': {
      const server = snapshot.servers.get(endpoint.name);
      return server !== undefined && admits(server.access?.groups, groups);
    }
    case 'bundle': {
      const bundle = snapshot.bundles?.get(endpoint.name);
      return bundle !== undefined && admits(bundle.groups, groups);
    }
  }
}

/** Does what happens at this upstream concern a caller who came through this door? */
export function concerns(snapshot: Snapshot, endpoint: Endpoint, of: { upstream: string; groups: readonly string[] }) {
  const { upstream, groups } = of;
  if (endpoint.kind === 'server' && endpoint.name !== upstream) return false;
  if (endpoint.kind === 'bundle') {
    const bundle = snapshot.bundles?.get(endpoint.name);
    if (bundle === undefined || !admits(bundle.groups, groups) || !bundleReaches(bundle, upstream)) return false;
  }
  return admits(snapshot.servers.get(upstream)?.access?.groups, groups);
}
