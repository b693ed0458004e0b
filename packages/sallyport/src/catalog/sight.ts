import type { AllowKind, BundleSettings } from '../config/access-settings.ts';
import { admits, bundleReaches, isAllowed, listGroups, mayEnter, names } from '../config/allowed.ts';
import type { ServerSettings, Snapshot } from '../config/settings.ts';
import type { Access, Offer } from '../core/access.ts';
import type { Tool } from '../core/call.ts';
import type { Endpoint } from '../core/endpoint.ts';
import { FaultError } from '../core/errors.ts';
import type { Principal } from '../core/principal.ts';
import type { ListKind } from './contract.ts';

/** What one caller sees through one door. What it does not see is not there, for lists and calls alike. */
export interface Sight {
  readonly bundle: BundleSettings | undefined;
  /** Others may see something else: what is shown here is for nobody to share. */
  readonly isOwn: boolean;
  /** Policies decide what it sees. */
  readonly isDecided: boolean;
  reaches(server: ServerSettings): boolean;
  sees(server: ServerSettings, kind: ListKind, id: string): boolean;
  /** Asked last: the answer may cost a policy decision. */
  mayUse(tool: Tool): boolean;
}

export interface Onlooker {
  readonly snapshot: Snapshot;
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  readonly access: Access | undefined;
}

/** @throws FaultError `not_found` for a door that is not there for this caller; whether it is there for others is not told. */
export function createSight(onlooker: Onlooker): Sight {
  const { snapshot, endpoint, principal, access } = onlooker;
  if (!mayEnter(snapshot, endpoint, principal.groups)) {
    const name = endpoint.kind === 'all' ? '' : endpoint.name;
    throw new FaultError('not_found', `There is no ${endpoint.kind} ${JSON.stringify(name)} behind this endpoint.`);
  }
  const mayReach = toMayReach(access, principal);
  const bundle = endpoint.kind === 'bundle' ? snapshot.bundles?.get(endpoint.name) : undefined;
  return {
    bundle,
    isOwn: toSightKey(onlooker) !== '',
    isDecided: access?.version() !== undefined,
    reaches(server) {
      if (endpoint.kind === 'server' && endpoint.name !== server.name) return false;
      if (bundle !== undefined && !bundleReaches(bundle, server.name)) return false;
      return admits(server.access?.groups, principal.groups);
    },
    sees(server, kind, id) {
      const listed = toAllowKind(kind);
      if (!isAllowed(server.access, { kind: listed, name: id }, principal.groups)) return false;
      if (bundle !== undefined && !bundle[listed].some((one) => names(one, { server: server.name, item: id })))
        return false;
      return kind === 'tools' || mayReach({ kind: OFFER_KINDS[kind], upstream: server.name, id });
    },
    mayUse:
      access?.version() === undefined
        ? () => true
        : remember((tool) => access.mayUse(principal, endpoint, tool) === true),
  };
}

const OFFER_KINDS = { resources: 'resource', resourceTemplates: 'resource', prompts: 'prompt' } as const;

/** Fail closed: a decision that throws is a no. */
function toMayReach(access: Access | undefined, principal: Principal): (offer: Offer) => boolean {
  if (access?.mayReach === undefined || access.version() === undefined) return () => true;
  return (offer) => {
    try {
      return access.mayReach?.(principal, offer) === true;
    } catch {
      return false;
    }
  };
}

function toAllowKind(kind: ListKind): AllowKind {
  return kind === 'resourceTemplates' ? 'resources' : kind;
}

/** Fail closed: a decision that throws is a no. */
function remember(ask: (tool: Tool) => boolean): (tool: Tool) => boolean {
  const known = new WeakMap<Tool, boolean>();
  return (tool) => {
    let answer = known.get(tool);
    if (answer === undefined) {
      try {
        answer = ask(tool);
      } catch {
        answer = false;
      }
      known.set(tool, answer);
    }
    return answer;
  };
}

interface KnownKey {
  readonly snapshot: Snapshot;
  readonly version: number | undefined;
  readonly key: string;
}

const keys = new WeakMap<Principal, KnownKey>();

/** Callers with equal keys see the same: the empty key is that of everyone where nothing depends on who calls. */
export function toSightKey({ snapshot, principal, access }: Omit<Onlooker, 'endpoint'>): string {
  const groups = listGroups(snapshot);
  const version = access?.version();
  if (groups.length === 0 && version === undefined) return '';
  const known = keys.get(principal);
  if (known !== undefined && known.snapshot === snapshot && known.version === version) return known.key;
  // A policy may look at anything a principal carries, but for what every new token changes.
  const key =
    version === undefined
      ? JSON.stringify(groups.filter((group) => principal.groups.includes(group)))
      : `${version} ${JSON.stringify({ ...principal, expiresAt: undefined })}`;
  keys.set(principal, { snapshot, version, key });
  return key;
}
