import type { TaintSettings } from '../../config/taint-section.ts';
import type { Envelope } from '../../core/envelope.ts';
import { matchesGlob } from '../../core/glob.ts';
import type { Principal } from '../../core/principal.ts';
import { type Marks, toMarks, UNTRUSTED } from './labels.ts';

const kept = new WeakMap<TaintSettings, Map<string, Map<string, Marks>>>();
/** Names of one server, and servers. */
const MAX_KEPT = 2_000;

/**
 * What the results of a tool, resource or prompt bear. The operator's word counts, else they are untrusted: MCP takes every
 * tool for one of the open world unless it says otherwise (2025-06-18, ToolAnnotations), and its saying so is a stranger's.
 */
export function marksOf(settings: TaintSettings, upstream: string, target: string): Marks {
  let servers = kept.get(settings);
  if (servers === undefined) {
    servers = new Map<string, Map<string, Marks>>();
    kept.set(settings, servers);
  }
  let known = servers.get(upstream);
  if (known === undefined) {
    if (servers.size >= MAX_KEPT) servers.clear();
    known = new Map<string, Marks>();
    servers.set(upstream, known);
  }
  let marks = known.get(target);
  if (marks === undefined) {
    marks = readMarks(settings, upstream, target);
    if (known.size >= MAX_KEPT) known.clear();
    known.set(target, marks);
  }
  return marks;
}

function readMarks({ sources }: TaintSettings, upstream: string, target: string): Marks {
  const key = `${upstream}.${target}`;
  const said = sources.find(({ match }) => matchesGlob(match, upstream) || matchesGlob(match, key));
  return said === undefined ? UNTRUSTED : toMarks({ untrusted: said.trust === 'untrusted', privacy: said.privacy });
}

/** Servers that private data may go to. */
export function isInside({ inside }: TaintSettings, upstream: string): boolean {
  return inside.some((glob) => matchesGlob(glob, upstream));
}

/** Callers whose word on what their user typed counts. */
export function isBelieved({ trustedHosts }: TaintSettings, { id, agent }: Principal): boolean {
  return trustedHosts.some((glob) => matchesGlob(glob, id) || (agent !== undefined && matchesGlob(glob, agent)));
}

/** The request of the user that a call brings, where its caller is believed. */
export function believedUser(
  { user, client }: Pick<Envelope, 'user' | 'client'>,
  settings: TaintSettings,
): string | undefined {
  return user !== undefined && isBelieved(settings, client.principal) ? user : undefined;
}
