import type { PinMode } from '../../config/pins-section.ts';
import type { DefinitionScan } from '../../config/scan-section.ts';
import type { Json } from '../../core/json.ts';
import type { ListKind } from '../contract.ts';
import type { Found } from './inspection.ts';

/**
 * What is pinned: the entries of the four lists, what a server tells every model at the start, what its command runs, and
 * the pages its tools are shown with (`ui://` resources of MCP Apps, by their content).
 */
export type PinKind = ListKind | 'instructions' | 'program' | 'ui';

export const PIN_KINDS: readonly PinKind[] = [
  'tools',
  'prompts',
  'resources',
  'resourceTemplates',
  'instructions',
  'program',
  'ui',
];

/** There is one of each for a server, without a name of its own. */
export function isNameless(kind: PinKind): kind is 'instructions' | 'program' {
  return kind === 'instructions' || kind === 'program';
}

/** One definition, known by its digest. */
export interface Definition {
  readonly digest: string;
  /** Digest of all but the names: equal for a tool that came back under another one. Empty where it would mean nothing. */
  readonly content: string;
  /** JSON as its server wrote it. */
  readonly text: string;
}

/** What is known of one item of one server. Kept in the database; written by whoever sees it and by whoever decides. */
export interface Pin {
  readonly server: string;
  readonly kind: PinKind;
  /** Name, URI or URI template; empty for the instructions and the program. */
  readonly name: string;
  /** What a person, or first sight in laptop mode, agreed to. */
  readonly approved: Definition | undefined;
  /** What the server offered last. */
  readonly seen: Definition | undefined;
  /** Digest of what a person refused. */
  readonly rejected: string | undefined;
  /** The removed item this one is by its content. */
  readonly renamedFrom: string | undefined;
  readonly approvedBy: string | undefined;
  /** ISO dates. */
  readonly approvedAt: string | undefined;
  readonly seenAt: string | undefined;
  /** What reading a definition found; of which one, its digest says. Left out: nobody has read it. */
  readonly found?: Found | undefined;
}

/** Who approved what nobody looked at. */
export const FIRST_SIGHT = 'first sight';

/** One item met in a list of a server. */
export interface Sighting {
  readonly server: string;
  readonly kind: PinKind;
  readonly name: string;
  readonly definition: Definition;
  readonly renamedFrom: string | undefined;
  /** First sight in laptop mode: seen and approved at once. */
  readonly approve: boolean;
  /** Left out: it was not read now. */
  readonly found?: Found | undefined;
}

export type PinState = 'approved' | 'new' | 'changed' | 'rejected' | 'unlisted';

/** What a lock file names: digest by server, kind and name. */
export interface LockedPins {
  readonly file: string;
  digest(server: string, kind: PinKind, name: string): string | undefined;
}

export interface PinRules {
  readonly mode: PinMode;
  /** Locked mode: without one, nothing is approved. */
  readonly lock: LockedPins | undefined;
  /** What findings do to the definitions of a server. Left out: `hold`. */
  inspection?(server: string): DefinitionScan;
}

/** What a decision about one definition needs to know of its pin. */
export interface PinFacts {
  readonly server: string;
  readonly kind: PinKind;
  readonly name: string;
  readonly approved: string | undefined;
  readonly rejected: string | undefined;
  /** `true`: first sight approved it, no person. */
  readonly isUnread?: boolean | undefined;
  /** Why this definition should be held, if reading it found a reason. */
  readonly hold?: string | undefined;
}

/** Where a definition of this digest stands. Everything but `approved` is quarantined. */
export function judge(rules: PinRules, facts: PinFacts, digest: string): PinState {
  if (facts.rejected === digest) return 'rejected';
  if (rules.mode === 'locked') {
    const locked = rules.lock?.digest(facts.server, facts.kind, facts.name);
    if (locked === undefined) return 'unlisted';
    return locked === digest ? 'approved' : 'changed';
  }
  if (facts.approved === undefined) return 'new';
  if (facts.approved !== digest) return 'changed';
  // First sight agreed to what nobody read; what reading found since takes that back. A person's yes stays.
  return facts.isUnread === true && toHold(rules, facts) !== undefined ? 'new' : 'approved';
}

/** Why it is to be held for what stands in it, where findings hold anything. */
export function toHold(rules: PinRules, { server, hold }: Pick<PinFacts, 'server' | 'hold'>): string | undefined {
  return hold !== undefined && (rules.inspection?.(server) ?? 'hold') === 'hold' ? hold : undefined;
}

/** `tools/search`, as commands and messages name an item. */
export function toItemName(kind: PinKind, name: string): string {
  return isNameless(kind) ? kind : `${kind}/${name}`;
}

const STATES: Readonly<Record<Exclude<PinState, 'approved'>, string>> = {
  new: 'nobody has approved it yet',
  changed: 'its definition is not the approved one',
  rejected: 'its definition was rejected',
  unlisted: 'the lock file does not name it',
};

/** Why an item may not be used and what to do, for a model to read; the name is cut, because a stranger chose it. */
export function whyHeld(
  state: PinState,
  facts: Pick<PinFacts, 'server' | 'kind' | 'name' | 'hold'>,
): string | undefined {
  if (state === 'approved') return undefined;
  const item = toItemName(facts.kind, facts.name).slice(0, 128);
  const found = facts.hold === undefined ? '' : `, and ${facts.hold}`;
  return `"${item}" of the server "${facts.server}" is quarantined: ${STATES[state]}${found}. Ask the operator to look at it with: sallyport pin diff ${facts.server}`;
}

/** One field that is another one now. */
export interface FieldChange {
  /** `/inputSchema/properties/path/type`, a JSON Pointer (RFC 6901). */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: Json;
  readonly after?: Json;
}
