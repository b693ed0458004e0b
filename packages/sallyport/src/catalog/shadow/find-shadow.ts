import { foldText } from '../../core/fold-text.ts';
import type { ToolFace } from '../../core/tool-face.ts';
import { isDisguiseOf, isExtended } from './compare-names.ts';
import { compareTools, isSameMeaning, type Nearness } from './compare-tools.ts';
import { type Profile, profileOf } from './profile.ts';
import { type Near, ShadowIndex } from './shadow-index.ts';

export type ShadowReasonId =
  | 'look-alike-name'
  | 'names-other-tool'
  | 'qualified-name'
  | 'recased-name'
  | 'copied-text'
  | 'one-letter-off'
  | 'claims-to-be-better'
  | 'wants-all-calls'
  | 'same-meaning';

export interface ShadowReason {
  readonly id: ShadowReasonId;
  readonly why: string;
  /** What was found in its texts, e.g. the claim. */
  readonly evidence: string;
  readonly holds: Holds;
}

/**
 * Whether it is a reason to quarantine the tool. `always`: it says something about the other, openly or by its name, so it is
 * the one that came for the other. `newcomer`: only where the other was approved before it came. `never`: honest tools do the
 * same, so a person is shown the pair.
 */
export type Holds = 'always' | 'newcomer' | 'never';

/** A newcomer and the tool that it competes with. */
export interface ShadowPair {
  readonly candidate: ToolFace;
  readonly peer: ToolFace;
  readonly reasons: readonly ShadowReason[];
}

/**
 * The tools of other servers that this one competes with: it takes their name or their text, speaks about them, or does the
 * same and says that it is better. Tools of honest servers that only share a name are none. Tools of its own server among
 * the peers are the ones it may speak of freely.
 */
export function findShadow(candidate: ToolFace, peers: readonly ToolFace[]): readonly ShadowPair[] {
  let index = indexes.get(peers);
  if (index === undefined) {
    index = new ShadowIndex(peers);
    indexes.set(peers, index);
  }
  return findShadowAmong(candidate, { index, ownNames: index.ownNames(candidate.server) });
}

const indexes = new WeakMap<readonly ToolFace[], ShadowIndex>();

export interface Indexed {
  readonly index: ShadowIndex;
  /** Those that are looked at. Left out: all. */
  readonly among?: ReadonlySet<ToolFace>;
  /** Keys of the tools that its own server offers. */
  readonly ownNames: ReadonlySet<string>;
}

/** The same beside tools that are indexed already. */
export function findShadowAmong(candidate: ToolFace, { index, among, ownNames }: Indexed): readonly ShadowPair[] {
  const profile = profileOf(candidate);
  const pairs: ShadowPair[] = [];
  const { faces, mentions } = index.near(profile, among);
  for (const peer of faces) {
    const reasons = judgePair(profile, profileOf(peer), { ownNames, mentions });
    if (reasons.length > 0) pairs.push({ candidate, peer, reasons });
  }
  return pairs;
}

/** The names of tools in a text, and those of its own server. */
interface Spoken extends Pick<Near, 'mentions'> {
  readonly ownNames: ReadonlySet<string>;
}

type Judge = (one: Profile, other: Profile, near: Nearness) => Omit<ShadowReason, 'id'> | undefined;

/** Why one tool competes with another; empty: it does not. */
function judgePair(one: Profile, other: Profile, spoken: Spoken): readonly ShadowReason[] {
  const near = compareTools(one, other);
  const reasons: ShadowReason[] = [];
  const said = speaksOf(one, other, spoken);
  if (said !== undefined) reasons.push({ id: 'names-other-tool', ...said });
  for (const [id, judge] of JUDGES) {
    const found = judge(one, other, near);
    if (found !== undefined) reasons.push({ id, ...found });
  }
  if (reasons.length === 0 && !isSame(near) && isSameMeaning(one, other, near)) reasons.push(sameMeaning(one));
  return reasons;
}

/** Two honest servers of one trade may do the same: a person is shown the pair. */
function sameMeaning({ tool }: Profile): ShadowReason {
  const why = 'it says the same in other words, under another name';
  return { id: 'same-meaning', why, evidence: tool.name, holds: 'never' };
}

function speaksOf(one: Profile, other: Profile, { ownNames, mentions }: Spoken): Omit<ShadowReason, 'id'> | undefined {
  const { key: named } = other.forms;
  if (one.forms.key === named || ownNames.has(named) || one.parameters.has(named)) return undefined;
  const mention = mentions.find(({ key }) => key === named);
  if (mention === undefined) return undefined;
  const { name, isAimed } = mention;
  // "Use get_user to find ids" may be about a tool that its own server no longer offers, or an example in code.
  return isAimed && isWrittenAs(name, other.tool.name)
    ? { why: 'its text says when this tool of another server may be used', evidence: name, holds: 'always' }
    : { why: 'its text names this tool of another server', evidence: name, holds: 'never' };
}

/** `getUser` in a text is the method of a program as often as the tool `get_user`. */
function isWrittenAs(one: string, other: string): boolean {
  return foldText(one) === foldText(other);
}

const JUDGES: readonly (readonly [ShadowReasonId, Judge])[] = [
  [
    'look-alike-name',
    (one, other, { name }) =>
      name !== 'look-alike'
        ? undefined
        : {
            why: 'its name reads like that one and is another',
            evidence: one.tool.name,
            holds: isDisguiseOf(one.tool.name, other.tool.name) ? 'always' : 'newcomer',
          },
  ],
  [
    'qualified-name',
    (one, other, near) =>
      near.name === 'qualified' && nearness(near) >= QUALIFIED && isBacked(one, near)
        ? {
            why: 'it takes that name and adds a word of praise or a version',
            evidence: one.tool.name,
            // The latest timeline and the subscription "pro" are things; a text that praises itself as well says what is meant.
            holds: praiseOver(one, other).length > 0 || one.claims.instead.length > 0 ? 'always' : 'never',
          }
        : undefined,
  ],
  [
    'recased-name',
    (one, other, near) =>
      isRecased(one.tool.name, other.tool.name) && near.copy >= RECASED
        ? { why: 'it has that name in other letters and much of its text', evidence: one.tool.name, holds: 'newcomer' }
        : undefined,
  ],
  [
    'one-letter-off',
    (one, other, near) =>
      (near.name === 'typo' && nearness(near) >= SLIPPED) ||
      (near.name === 'reordered' && isCopy(near)) ||
      ((near.name === 'slip' || near.name === 'reordered') && isVerbatim(near))
        ? {
            why: 'its name is that one but for a slip, and it does the same',
            evidence: one.tool.name,
            // `update_task` and `tasks_update`, `send_mail` and `send_email` are ways to write one name.
            holds: near.name === 'typo' && !isSameWords(one, other) ? 'newcomer' : 'never',
          }
        : undefined,
  ],
  [
    'copied-text',
    (one, other, near) =>
      isCopyOf(one, other, near)
        ? {
            why: 'its text is that one under another name',
            evidence: one.tool.description.slice(0, 80),
            // Two servers for one product, and forks of one server, are written in the same words.
            holds: 'never',
          }
        : undefined,
  ],
  [
    'claims-to-be-better',
    (one, other, near) => {
      // A text is read for claims only beside what it may compete with.
      if (nearness(near) < LEAST_NEAR) return undefined;
      const praise = praiseOver(one, other);
      const wanted = isSame(near) ? SAME_PRAISE : stepOf(PRAISED, praise.length);
      if (praise.length === 0 || nearness(near) < wanted) return undefined;
      // Honest servers advertise: who only praises itself is shown.
      return { why: 'it does the same and says that it is better', evidence: praise.join(', '), holds: 'never' };
    },
  ],
  [
    'wants-all-calls',
    (one, _other, near) => {
      const likeness = Math.max(purpose(near), nearness(near));
      if (likeness < INSTEAD) return undefined;
      const { greedy, collects, instead } = one.claims;
      const asked = isSame(near) ? instead : [...greedy, ...collects, ...instead];
      const wanted = instead.length > 0 ? INSTEAD : stepOf(GREEDY, asked.length);
      if (asked.length === 0 || likeness < wanted) return undefined;
      // "Whenever the user asks for …" is how honest tools say what they are for; "any sensitive data" is for nobody.
      const holds = instead.length > 0 || collects.length > 0 ? 'always' : 'never';
      return { why: 'it does the same and asks to be called for more', evidence: asked.join(', '), holds };
    },
  ],
];

/** What the other says of itself as well, as forks of a server do, sets none of them above the other. */
function praiseOver(one: Profile, other: Profile): readonly string[] {
  return one.claims.praise.filter((claim) => !other.claims.praise.includes(claim));
}

/** Whether the names differ in words of one meaning only. */
function isSameWords(one: Profile, other: Profile): boolean {
  return one.nameConcepts.size === other.nameConcepts.size && isSubset(one.nameConcepts, other.nameConcepts);
}

function isSubset(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const concept of one) if (!other.has(concept)) return false;
  return true;
}

const QUALIFIED = 0.35;
const RECASED = 0.5;
const SLIPPED = 0.5;
const COPIED_TEXT = 0.8;
/** A text of some twenty words is nobody's by chance. */
const COPIED_RUNS = 16;
const COPIED_NEAR = 0.6;
const SAME_PRAISE = 0.5;
const LEAST_NEAR = 0.15;
/** How near two must be, by how many claims there are. */
const PRAISED = [1, 0.45, 0.35, 0.25, LEAST_NEAR];
const GREEDY = [1, 0.45, 0.32, 0.3];
const INSTEAD = 0.3;

/** Formulas like "Get the current user" are everybody's: only a long text, or a short one under an extended name, is taken. */
function isCopyOf(one: Profile, other: Profile, near: Nearness): boolean {
  if (near.name === 'other' && (isCopy(near) || isVerbatim(near)) && isExtended(one.forms, other.forms)) return true;
  return !isSame(near) && near.copy >= COPIED_TEXT && near.runs >= COPIED_RUNS && nearness(near) >= COPIED_NEAR;
}

function stepOf(steps: readonly number[], count: number): number {
  return steps[Math.min(count, steps.length - 1)] ?? 1;
}

function isSame({ name }: Nearness): boolean {
  return name === 'same' || name === 'inflected';
}

function isCopy({ copy, runs }: Nearness): boolean {
  return copy >= 0.5 && copy * runs >= 6;
}

/** Text and parameters of the other, and nothing else. */
function isVerbatim({ copy, texts, schema = 1 }: Nearness): boolean {
  return copy >= 0.95 && texts >= 0.7 && schema >= 0.99;
}

/** Honest servers offer an advanced search, too; one that was made for another's place shows it in more than its name. */
function isBacked({ claims }: Profile, { copy, texts, schema = 0 }: Nearness): boolean {
  return copy >= 0.3 || texts >= 0.75 || schema >= 0.6 || claims.praise.length > 1 || claims.instead.length > 0;
}

/** How much two tools are for the same, 0 to 1, whatever they ask for. */
function purpose({ names, cover, texts, copy }: Nearness): number {
  return 0.5 * names + 0.25 * cover + 0.25 * Math.max(texts, copy);
}

/** How much two tools do the same, 0 to 1. */
function nearness(near: Nearness): number {
  return near.schema === undefined ? purpose(near) : 0.75 * purpose(near) + 0.25 * near.schema;
}

/** `Get_File` for `get_file`: no way of writing names that honest servers share, they differ by snake, kebab or camel case. */
function isRecased(one: string, other: string): boolean {
  return one !== other && one.toLowerCase() === other.toLowerCase() && /[_-]/.test(one);
}
