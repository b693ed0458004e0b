import { digestDefinition } from './digest-definition.ts';
import type { Found, ReadPage } from './inspection.ts';
import type { Met } from './met.ts';
import type { Definition, Pin, PinFacts, PinKind } from './pin.ts';
import { digestTwin } from './twin.ts';

/** What is remembered of a pin while Sallyport runs: digests and the approved text; all other texts stay in the database. */
export interface Entry {
  approved: string | undefined;
  /** JSON; what a change is compared with, and what others are read beside. */
  approvedText: string | undefined;
  /** First sight approved it, no person. */
  isUnread: boolean;
  rejected: string | undefined;
  seen: string | undefined;
  /** JSON of what is offered and is not approved. */
  waitingText: string | undefined;
  /** Digest -> that of the definition it is but for its era; what is decided about the one holds for the other. */
  twins: Map<string, string>;
  /** Digests this Sallyport itself was offered, the latest last. */
  met: Set<string>;
  contents: Set<string>;
  /** Digest -> what reading that definition came to. */
  found: Map<string, Outcome>;
}

/** Of reading one definition. */
interface Outcome {
  readonly version: string;
  readonly hold: string | undefined;
  /** Equal for equal findings. */
  readonly key: string;
  /** To be kept with the definition whenever it is offered again. */
  readonly whole: Found;
}

/** Earlier definitions of an item that are known again under another name. */
const MAX_CONTENTS = 16;
/** Definitions of an item that different clients may be shown at once. */
const MAX_MET = 16;

export function createEntry(): Entry {
  return {
    approved: undefined,
    approvedText: undefined,
    isUnread: false,
    rejected: undefined,
    seen: undefined,
    waitingText: undefined,
    twins: new Map(),
    met: new Set(),
    contents: new Set(),
    found: new Map(),
  };
}

/** Praise of itself and a character gone astray give a model no order. */
const NO_ORDER: ReadonlySet<string> = new Set(['boasts', 'promotes-itself', 'stray-characters']);

/** Whether a model that reads it may be led by it. Two honest servers may be alike, so a likeness of tools alone is no reason. */
export function hasFindings(entry: Entry | undefined, digest: string): boolean {
  const findings = entry?.found.get(entry.twins.get(digest) ?? digest)?.whole.findings ?? [];
  return findings.some(({ id, tier }) => tier === 'block' || !(id.startsWith('shadow-') || NO_ORDER.has(id)));
}

/** What a decision about one definition needs to know. */
export function toFacts(
  { server, kind, name }: Pick<Pin, 'server' | 'kind' | 'name'>,
  entry: Entry | undefined,
  digest: string | undefined,
): PinFacts {
  return {
    server,
    kind,
    name,
    approved: entry?.approved,
    rejected: entry?.rejected,
    isUnread: entry?.isUnread,
    hold: digest === undefined ? undefined : entry?.found.get(digest)?.hold,
  };
}

/** Whether a definition is what was approved, or what waits, in the words of the other era; noted for whoever has its digest. */
export function isTwin(entry: Entry, { digest, define }: Pick<Met, 'digest' | 'define'>): boolean {
  const { approved, approvedText, seen, waitingText, rejected, twins } = entry;
  if (twins.has(digest)) return true;
  if (digest === approved || digest === seen || digest === rejected || (approved ?? seen) === undefined) return false;
  const own = digestTwin(define().text);
  const texts = [
    [approved, approvedText],
    [seen, waitingText],
  ] as const;
  for (const [other, text] of texts) {
    if (other === undefined || text === undefined || digestTwin(text) !== own) continue;
    if (twins.size >= MAX_MET) twins.clear();
    twins.set(digest, other);
    return true;
  }
  return false;
}

export function noteMet(entry: Entry, digest: string): void {
  entry.met.delete(digest);
  entry.met.add(digest);
  for (const oldest of entry.met) {
    if (entry.met.size <= MAX_MET) break;
    entry.met.delete(oldest);
  }
}

export function noteContent({ contents }: Entry, content: string): void {
  if (contents.size >= MAX_CONTENTS) contents.clear();
  contents.add(content);
}

/** What first sight approved is held by what was found alone: other definitions do not push that out. */
export function noteFound({ found, approved }: Entry, one: Found): void {
  const { digest, version, hold } = one;
  found.delete(digest);
  found.set(digest, { version, hold, key: toKey(one), whole: one });
  for (const oldest of found.keys()) {
    if (found.size <= MAX_MET) break;
    if (oldest !== approved) found.delete(oldest);
  }
}

/** Has a page read, once with the same rules. */
export function notePage(entry: Entry | undefined, digest: string, { version, report }: ReadPage): void {
  if (entry !== undefined && entry.found.get(digest)?.version !== version)
    noteFound(entry, { ...report(), digest, version });
}

/** Equal for reports that say the same. */
export function toKey({ findings, hold, related = [] }: Found): string {
  const parts = [
    ...findings.map(({ id, tier, where, start, end }) => `${id} ${tier} ${where} ${start} ${end}`),
    ...related.map(({ server, name }) => `${server}/${name}`),
  ];
  return digestDefinition(JSON.stringify([hold ?? '', ...parts]));
}

/** What is offered now. */
export function noteSeen(entry: Entry, { digest, text }: Pick<Definition, 'digest' | 'text'>): void {
  entry.seen = digest;
  entry.waitingText = digest === entry.approved ? undefined : text;
}

/** `undefined` takes the approval away. */
export function noteApproved(entry: Entry, approved: Definition | undefined, isUnread: boolean): void {
  entry.approved = approved?.digest;
  entry.approvedText = approved?.text;
  entry.isUnread = isUnread;
  if (approved !== undefined && approved.digest === entry.seen) entry.waitingText = undefined;
}

/** Whether a kind of item is read at all; a program has no words, a page is no definition of JSON members. */
export function isRead(kind: PinKind): kind is Exclude<PinKind, 'program' | 'ui'> {
  return kind !== 'program' && kind !== 'ui';
}
