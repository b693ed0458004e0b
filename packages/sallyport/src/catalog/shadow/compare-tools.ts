import { compareNames, type NameRelation } from './compare-names.ts';
import { weightOf } from './concepts.ts';
import type { Profile } from './profile.ts';

/** How near two tools are, each 0 to 1. */
export interface Nearness {
  readonly name: NameRelation;
  /** Shared concepts of the two names. */
  readonly names: number;
  /** How much of what the other speaks of this one speaks of too. */
  readonly cover: number;
  /** Shared concepts of the two texts. */
  readonly texts: number;
  /** Share of runs of words that both have, of the shorter text; 0 for texts too short to copy. */
  readonly copy: number;
  /** Of how many runs. */
  readonly runs: number;
  /** Shared names of parameters; `undefined` where one has none. */
  readonly schema: number | undefined;
}

/** Texts that share less than this are not looked at for copies. */
const MIN_TEXTS = 0.2;
const NO_COPY = { copy: 0, runs: 0 };
/** Runs of three words below which a description is like too many others: "Get the current user" has two. */
const MIN_RUNS = 2;

/** Concepts of a text below which it is like too many others: "Creates a new page". */
const MIN_SAID = 3;
/** Of a name: a deed alone, as in `search`, is everybody's. */
const MIN_NAMED = 2;

/** Whether two tools say the same under other names: of the same things, in words of the same meaning, and ask for the same. */
export function isSameMeaning(one: Profile, other: Profile, { texts }: Nearness): boolean {
  if (texts < SAME_TEXTS || Math.min(one.concepts.size, other.concepts.size) < MIN_SAID) return false;
  if (Math.min(one.nameConcepts.size, other.nameConcepts.size) < MIN_NAMED) return false;
  if (share(one.parameterConcepts, other.parameterConcepts) < SAME_PARAMETERS) return false;
  const names = share(one.nameConcepts, other.nameConcepts);
  return names === 1 || (names >= SAME_NAMES && texts >= SAME_TEXTS_ALONE);
}

/** Of 4,685 real tools 14 are as near as this to one of another server; most of these are for the same product. */
const SAME_NAMES = 0.5;
const SAME_TEXTS = 0.5;
const SAME_TEXTS_ALONE = 0.7;
const SAME_PARAMETERS = 0.5;

export function compareTools(one: Profile, other: Profile): Nearness {
  const texts = share(one.concepts, other.concepts);
  const covered = cover(other.concepts, one.concepts);
  const names = Math.max(share(one.nameConcepts, other.nameConcepts), share(one.nameConcepts, other.placedConcepts));
  const isAlike = one.parameters.size > 0 && other.parameters.size > 0;
  return {
    name: compareNames(one.forms, other.forms),
    names,
    cover: covered,
    texts,
    // Who took the words took the name, or what they speak of.
    ...(Math.max(texts, covered, names) < MIN_TEXTS ? NO_COPY : copied(one.runs, other.runs)),
    schema: isAlike ? share(one.parameters, other.parameters) : undefined,
  };
}

function share(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  let all = 0;
  for (const concept of one) {
    all += weightOf(concept);
    if (other.has(concept)) both += weightOf(concept);
  }
  for (const concept of other) if (!one.has(concept)) all += weightOf(concept);
  return all === 0 ? 0 : both / all;
}

function cover(wanted: ReadonlySet<string>, had: ReadonlySet<string>): number {
  let found = 0;
  let all = 0;
  for (const concept of wanted) {
    all += weightOf(concept);
    if (had.has(concept)) found += weightOf(concept);
  }
  return all === 0 ? 0 : found / all;
}

function copied(one: ReadonlySet<string>, other: ReadonlySet<string>): Pick<Nearness, 'copy' | 'runs'> {
  const runs = Math.min(one.size, other.size);
  if (runs < MIN_RUNS) return NO_COPY;
  let both = 0;
  for (const run of one) if (other.has(run)) both += 1;
  return { copy: both / runs, runs };
}
