import type { PinMode } from '../../config/pins-section.ts';
import type { DefinitionScan } from '../../config/scan-section.ts';
import type { Json } from '../../core/json.ts';
import type { AnnouncedList, ListKind } from '../contract.ts';
import type { Found } from './inspection.ts';

/**
 * What is pinned: the entries of the four lists, what a server tells every model at the start, what it says of itself
 * (`serverInfo` and capabilities), what its command runs, and the pages its tools are shown with (`ui://` resources of MCP
 * Apps, by their content).
 */
export type PinKind = ListKind | 'instructions' | 'serverInfo' | 'program' | 'ui';

/** What a server says once, with its first answer. */
export type SaidKind = 'instructions' | 'serverInfo';

export const PIN_KINDS: readonly PinKind[] = [
  'tools',
  'prompts',
  'resources',
  'resourceTemplates',
  'instructions',
  'serverInfo',
  'program',
  'ui',
];

/** The list that a client is told of when items of a kind change. */
export const LISTS: ReadonlyMap<PinKind, AnnouncedList> = new Map([
  ['tools', 'tools'],
  ['prompts', 'prompts'],
  ['resources', 'resources'],
  ['resourceTemplates', 'resources'],
]);

/** There is one of each for a server, without a name of its own. */
export function isNameless(kind: PinKind): kind is 'instructions' | 'serverInfo' | 'program' {
  return kind === 'instructions' || kind === 'serverInfo' || kind === 'program';
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
  /** Name, URI or URI template; empty for what a server has one of. */
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
  if (rules.mode === 'off') return facts.approved !== digest && toHold(rules, facts) !== undefined ? 'new' : 'approved';
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

const KINDS: Readonly<Record<PinKind, string>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource',
  instructions: 'instructions',
  serverInfo: 'server information',
  program: 'program',
  ui: 'page',
};

interface Held {
  /** For a model: it need not know how a person goes about it. */
  readonly because: string;
  /** For a person. */
  readonly is: string;
}

const HELD: Readonly<Record<Exclude<PinState, 'approved'>, Held>> = {
  new: { because: 'nobody has approved it yet', is: 'nobody has approved it yet' },
  changed: { because: 'its definition changed', is: 'its definition is not the approved one' },
  rejected: { because: 'a person rejected its definition', is: 'its definition was rejected' },
  unlisted: { because: 'it is not among the approved ones', is: 'the lock file does not name it' },
};

type Named = Pick<PinFacts, 'server' | 'kind' | 'name' | 'hold'>;

/**
 * Why an item may not be used and what can be done, for a model to read. Names are cut, because a server chose them; which
 * rules found something, or beside which tool of which server, is for people.
 */
export function whyHeld(state: PinState, held: Named & { readonly shown?: string | undefined }): string | undefined {
  if (state === 'approved') return undefined;
  const { server, kind, name, hold, shown = name } = held;
  const word = KINDS[kind];
  const found = hold === undefined ? '' : ', and the check of its definition did not pass';
  const id = isNameless(kind) ? word : `${word} ${name.slice(0, 128)}`;
  const what = isNameless(kind) ? `The ${word}` : `The ${word} ${shown.slice(0, 128)}`;
  if (state === 'rejected')
    return `${what} cannot be used because ${HELD[state].because} (server ${server}, ${id}). Use another ${word}, or tell the user.`;
  return `${what} waits for the operator's approval because ${HELD[state].because}${found}. A person has to approve it (server ${server}, ${id}). Use another ${word}, or tell the user.`;
}

/** The same for a person who reads the log. */
export function describeHeld(state: PinState, { server, kind, name, hold }: Named): string | undefined {
  if (state === 'approved') return undefined;
  const item = toItemName(kind, name).slice(0, 128);
  const found = hold === undefined ? '' : `, and ${hold}`;
  return `"${item}" of the server "${server}" is quarantined: ${HELD[state].is}${found}. See: sallyport pin diff ${server}`;
}

/** One field that is another one now. */
export interface FieldChange {
  /** `/inputSchema/properties/path/type`, a JSON Pointer (RFC 6901). */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: Json;
  readonly after?: Json;
}
