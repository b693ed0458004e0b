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
  /** It says something about the other, openly or by its name: it is the one that came for the other. */
  readonly isAbout: boolean;
  /** No reason to hold it. */
  readonly isShown?: true;
}

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
  return findShadowAmong(candidate, index, index.ownNames(candidate.server));
}

const indexes = new WeakMap<readonly ToolFace[], ShadowIndex>();

/** The same beside tools that are indexed already. @param ownNames keys of the tools that its own server offers */
export function findShadowAmong(
  candidate: ToolFace,
  index: ShadowIndex,
  ownNames: ReadonlySet<string>,
): readonly ShadowPair[] {
  const profile = profileOf(candidate);
  const pairs: ShadowPair[] = [];
  const { faces, mentions } = index.near(profile);
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
  return { id: 'same-meaning', why, evidence: tool.name, isAbout: false, isShown: true };
}

function speaksOf(one: Profile, other: Profile, { ownNames, mentions }: Spoken): Omit<ShadowReason, 'id'> | undefined {
  const { key: named } = other.forms;
  if (one.forms.key === named || ownNames.has(named) || one.parameters.has(named)) return undefined;
  const mention = mentions.find(({ key }) => key === named);
  if (mention === undefined) return undefined;
  return { why: 'its text speaks about this tool of another server', evidence: mention.name, isAbout: true };
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
            isAbout: isDisguiseOf(one.tool.name, other.tool.name),
          },
  ],
  [
    'qualified-name',
    (one, _other, near) =>
      near.name === 'qualified' && nearness(near) >= QUALIFIED && isBacked(one, near)
        ? { why: 'it takes that name and adds a word of praise or a version', evidence: one.tool.name, isAbout: true }
        : undefined,
  ],
  [
    'recased-name',
    (one, other, near) =>
      isRecased(one.tool.name, other.tool.name) && near.copy >= RECASED
        ? { why: 'it has that name in other letters and much of its text', evidence: one.tool.name, isAbout: false }
        : undefined,
  ],
  [
    'one-letter-off',
    (one, _other, near) =>
      (near.name === 'typo' && nearness(near) >= SLIPPED) ||
      (near.name === 'reordered' && isCopy(near)) ||
      ((near.name === 'slip' || near.name === 'reordered') && isVerbatim(near))
        ? { why: 'its name is that one but for a slip, and it does the same', evidence: one.tool.name, isAbout: false }
        : undefined,
  ],
  [
    'copied-text',
    (one, other, near) =>
      isCopyOf(one, other, near)
        ? {
            why: 'its text is that one under another name',
            evidence: one.tool.description.slice(0, 80),
            isAbout: false,
          }
        : undefined,
  ],
  [
    'claims-to-be-better',
    (one, other, near) => {
      // A text is read for claims only beside what it may compete with.
      if (nearness(near) < LEAST_NEAR) return undefined;
      // What the other says of itself as well, as forks of a server do, sets none of them above the other.
      const praise = one.claims.praise.filter((claim) => !isSame(near) || !other.claims.praise.includes(claim));
      const wanted = isSame(near) ? SAME_PRAISE : stepOf(PRAISED, praise.length);
      if (praise.length === 0 || nearness(near) < wanted) return undefined;
      return { why: 'it does the same and says that it is better', evidence: praise.join(', '), isAbout: true };
    },
  ],
  [
    'wants-all-calls',
    (one, _other, near) => {
      const likeness = Math.max(purpose(near), nearness(near));
      if (likeness < INSTEAD) return undefined;
      const { greedy, instead } = one.claims;
      const asked = isSame(near) ? instead : [...greedy, ...instead];
      const wanted = instead.length > 0 ? INSTEAD : stepOf(GREEDY, asked.length);
      if (asked.length === 0 || likeness < wanted) return undefined;
      return { why: 'it does the same and asks to be called for more', evidence: asked.join(', '), isAbout: true };
    },
  ],
];

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
