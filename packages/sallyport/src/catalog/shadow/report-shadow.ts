import type { Finding } from '../../core/finding.ts';
import type { ToolFace } from '../../core/tool-face.ts';
import type { Inspected, Peer, Related } from '../pins/inspection.ts';
import { toKey } from './compare-names.ts';
import { toToolFace } from './face.ts';
import { findShadowAmong, type Indexed, type ShadowPair, type ShadowReason } from './find-shadow.ts';
import { ShadowIndex } from './shadow-index.ts';
import { findStuffing } from './stuffing.ts';

/** What comparing a tool with the approved ones of other servers came to. */
export interface ShadowReport {
  readonly findings: readonly Finding[];
  readonly hold: string | undefined;
  readonly related: readonly Related[];
}

export type ShadowReader = (item: Inspected, peers: readonly Peer[]) => ShadowReport;

/** Raised with every change of a rule or a threshold here. */
export const SHADOW_VERSION = '6';

const NOTHING: ShadowReport = Object.freeze({ findings: [], hold: undefined, related: [] });
/** Pairs of one tool that are shown; a tool that competes with more is held for the first. */
const MAX_PAIRS = 5;

/** Tools in the index that nobody looks at any more, before they are taken out. */
const MOST_UNSEEN = 20_000;

/** Compares tools before anybody may use them. What is known of the tools of others is kept from one to the next. */
export function createShadowReader(): ShadowReader {
  const index = new ShadowIndex();
  // The lists of several servers are read in turns.
  const besides = new WeakMap<readonly Peer[], Required<Indexed>>();
  let synced: readonly Peer[] | undefined;
  return (item, peers) => {
    if (item.kind !== 'tools') return NOTHING;
    const beside = besides.get(peers) ?? toBeside(index, item.server, peers);
    besides.set(peers, beside);
    if (peers !== synced) sync(beside);
    synced = peers;
    const face = toToolFace(item.server, item.definition);
    const was = item.before === undefined ? [] : findShadowAmong(toToolFace(item.server, item.before), beside);
    const known = new Set(was.map(({ peer }) => peer));
    const pairs = findShadowAmong(face, beside)
      .filter(({ peer }) => !known.has(peer))
      .map((pair) => toWeighed(pair, item))
      .sort((one, other) => Number(other.isHeld) - Number(one.isHeld))
      .slice(0, MAX_PAIRS);
    const findings = [...pairs.map(toFinding), ...findStuffing(face)];
    return { findings, hold: toReason(pairs.filter(({ isHeld }) => isHeld)), related: pairs.map(toRelated) };
  };
}

function toBeside(index: ShadowIndex, server: string, peers: readonly Peer[]): Required<Indexed> {
  const among = new Set<ToolFace>();
  for (const peer of peers) if (peer.isApproved && peer.server !== server) among.add(peer);
  const ownNames = new Set(peers.filter((peer) => peer.server === server).map(({ name }) => toKey(name)));
  return { index, among, ownNames };
}

/** Tools that are not among them stay: the next one that is read may be of another server. */
function sync({ index, among }: Required<Indexed>): void {
  for (const face of among) if (!index.has(face)) index.add(face);
  if (index.size - among.size > MOST_UNSEEN)
    for (const face of [...index.faces()]) if (!among.has(face)) index.remove(face);
}

interface Weighed extends ShadowPair {
  readonly isHeld: boolean;
  /** Nobody approved one before the other came. */
  readonly isEqual: boolean;
}

/**
 * Where nobody is trusted yet, likeness alone says nothing about which of two came for the other: both were met at the same
 * first start, or the tool itself was approved when it was met. Then only the one that speaks about the other is held; of
 * the rest a person is shown the pair.
 */
function toWeighed(pair: ShadowPair, { isApproved, isSettled }: Inspected): Weighed {
  const isEqual = isApproved === true || freshOf(pair.peer);
  if (isSettled === true) return { ...pair, isEqual, isHeld: false };
  const holding = pair.reasons.filter(({ holds }) => holds === 'always' || (holds === 'newcomer' && !isEqual));
  return holding.length === 0
    ? { ...pair, isEqual, isHeld: false }
    : { ...pair, reasons: holding, isEqual, isHeld: true };
}

function freshOf(peer: ToolFace & Pick<Partial<Peer>, 'isFresh'>): boolean {
  return peer.isFresh === true;
}

function toFinding({ candidate, peer, reasons, isHeld, isEqual }: Weighed): Finding {
  const [reason] = reasons as readonly [ShadowReason]; // a pair has at least one
  const { where, start, end } = locate(candidate, reason);
  return {
    id: `shadow-${reason.id}`,
    tier: isHeld ? 'block' : 'review',
    owasp: 'MCP03',
    where,
    start,
    end,
    evidence: toEvidence(reason.evidence),
    why: `It ${isHeld ? 'competes with' : 'is like'} ${nameOf(peer)}, ${isEqual && !isHeld ? 'and nobody approved one before the other came' : 'which is approved'}: ${reasons.map(({ why }) => why).join('; ')}.`,
    fix: isHeld
      ? 'Compare the two with "sallyport pin diff". Approve it only if you want both; otherwise reject it, or take the server out.'
      : 'Compare the two; if you do not want both, reject one with "sallyport pin reject", or take its server out.',
  };
}

function locate({ name, description }: ToolFace, { evidence }: ShadowReason): Pick<Finding, 'where' | 'start' | 'end'> {
  if (evidence === name || description === '') return { where: '/name', start: 0, end: name.length };
  const [first = ''] = evidence.split(', ');
  const at = Math.max(0, description.toLowerCase().indexOf(first.toLowerCase()));
  return { where: '/description', start: at, end: Math.min(description.length, at + first.length) };
}

/** A model may read it: no word of the newcomer's stands in it. */
function toReason(pairs: readonly ShadowPair[]): string | undefined {
  const [first] = pairs;
  if (first === undefined) return undefined;
  const { peer, reasons } = first;
  const more = pairs.length === 1 ? '' : `, and with ${pairs.length - 1} more`;
  return `it competes with ${nameOf(peer)}${more}: ${reasons[0]?.why ?? ''}`;
}

function nameOf({ name, server }: ToolFace): string {
  return `"${toEvidence(name)}" of the server "${server}"`;
}

function toRelated({ peer, reasons }: ShadowPair): Related {
  return { server: peer.server, name: peer.name, why: reasons.map(({ why }) => why).join('; ') };
}

/** Harmless to show: what nobody sees, and what turns a line, is a space. */
function toEvidence(text: string): string {
  return text.replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, ' ').slice(0, 120);
}
