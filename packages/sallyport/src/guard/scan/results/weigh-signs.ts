import { findSuspect } from './find-suspect.ts';
import { readSigns } from './read-signs.ts';
import type { Words } from './read-words.ts';
import { CLASS, FORM, type Signs } from './sign-bits.ts';
import { readShapes, SHAPES } from './sign-shapes.ts';
import { isReported, type Spoken, type SpokenRule } from './spoken-to.ts';

/**
 * Weak signs that together are an order to a model: who is spoken to, and what is wanted of him in the same breath. A sign of
 * each kind has to be there; the weights are by meaning, not fitted, so that they hold for texts that nobody has seen.
 */

const SIGNS: SpokenRule = {
  id: 'many-signs',
  owasp: 'MCP06',
  why: 'Many signs together say that it gives orders to the model that reads it.',
};

/** By the bits of a sentence: what it says of who is spoken to. */
const WHO: readonly (readonly [number, number])[] = [
  [FORM.machineReads, 1.5],
  [FORM.vocative, 1.5],
  [FORM.toMachine, 1.2],
  [FORM.youWere, 1],
  [FORM.anyMachine, 1],
  [FORM.ifMachine, 1],
  [FORM.duty, 0.6],
  [FORM.yourOwner, 1.5],
  [FORM.madeYou, 1.5],
  [FORM.ownTask, 1],
  [FORM.ownTool, 1],
  [FORM.readsThis, 1],
  [FORM.ownTalk, 0.7],
  [FORM.youAre, 0.2],
  [FORM.iAm, 0.7],
  [FORM.notTellOwner, 0.6],
];
const WHOEVER = WHO.reduce((all, [bit]) => all | bit, 0);
/** And what is wanted. */
const WHAT: readonly (readonly [number, number])[] = [
  [FORM.asksSend, 0.7],
  [FORM.asksAct, 0.5],
  [FORM.asksSay, 0.5],
  [FORM.asksOverride, 0.7],
  [FORM.sendSecret, 0.7],
  [FORM.address, 0.5],
  [FORM.notTell, 0.7],
  [FORM.notTellOwner, 1],
  [FORM.notPermit, 0.8],
  [FORM.overrideTask, 1],
  [FORM.unbound, 0.7],
  [FORM.newTask, 1],
  [FORM.sayThat, 0.4],
  [FORM.callLike, 1.2],
  [FORM.shell, 1],
  [FORM.ownerSecret, 0.5],
  [FORM.role, 0.7],
];
/** Words that press, hide or claim. */
const HOW: readonly (readonly [number, number])[] = [
  [CLASS.hush, 0.5],
  [CLASS.urgent, 0.3],
  [CLASS.always, 0.3],
  [CLASS.orelse, 0.2],
  [CLASS.authority, 0.3],
  [CLASS.pose, 0.5],
  [CLASS.code, 0.5],
  [CLASS.machine, 0.5],
  [CLASS.helper, 0.2],
  [CLASS.newly, 0.2],
];
const NEEDED_WHO = 1;
const NEEDED = 3;
/** Sentences that are read together, and the words they have at most. */
const TOGETHER = 4;
const MAX_WORDS = 80;
const DEMANDS = FORM.duty | FORM.asksSend | FORM.asksAct | FORM.asksSay | FORM.asksOverride | FORM.notTellOwner;

/** Orders to whoever reads the text that no single rule knows. */
export function findOrders(text: string, words: Words): readonly Spoken[] {
  const found: Spoken[] = [];
  for (const { start, end } of findSuspect(text, words)) {
    const best = findBest(text, readSigns(text, start, end));
    if (best !== undefined && !isReported(text, best.start)) found.push({ rule: SIGNS, weight: 0.55, ...best });
  }
  return found;
}

function findBest(
  text: string,
  sentences: readonly Signs[],
): { readonly start: number; readonly end: number } | undefined {
  const known: (number | undefined)[] = [];
  for (let first = 0; first < sentences.length; first++) {
    const { start } = sentences[first] as Signs;
    let forms = 0;
    let classes = 0;
    let demands = 0;
    let words = 0;
    for (let next = first; next < sentences.length && next < first + TOGETHER; next++) {
      const sentence = sentences[next] as Signs;
      words += sentence.words;
      if (next > first && words > MAX_WORDS) break;
      forms |= sentence.forms;
      classes |= sentence.classes;
      demands += sentence.demands;
      if ((forms & WHOEVER) === 0 || (forms & DEMANDS) === 0) continue;
      if (weighSigns({ forms: forms | SHAPES, classes, demands }) < NEEDED) continue;
      let shapes = 0;
      for (let i = first; i <= next; i++) {
        known[i] ??= readShapes(text, sentences[i] as Signs);
        shapes |= known[i] ?? 0;
      }
      if (weighSigns({ forms: forms | shapes, classes, demands }) >= NEEDED) return { start, end: sentence.end };
    }
  }
  return undefined;
}

/** 0 where one kind of sign is missing. */
export function weighSigns({ forms, classes, demands }: Pick<Signs, 'forms' | 'classes' | 'demands'>): number {
  if ((forms & DEMANDS) === 0) return 0;
  let who = sum(WHO, forms);
  // Staff and estate agents have no tools, no user and no instructions that somebody else sets aside.
  const isModel = (classes & (CLASS.machine | CLASS.owner | CLASS.code)) !== 0 || (forms & OF_MODEL) !== 0;
  if ((forms & CALLED) === 0 && (classes & (CLASS.machine | CLASS.helper | CLASS.owner)) === 0) who *= 0.5;
  else if (!isModel) who *= 0.4;
  if ((forms & FORM.duty) !== 0 && (forms & (FORM.callLike | FORM.shell)) !== 0) who += 0.5;
  if ((forms & FORM.unbound) !== 0 && (forms & FORM.youAre) !== 0 && (classes & CLASS.pose) !== 0) who += 1.5;
  if (who < NEEDED_WHO) return 0;
  const what = sum(WHAT, forms) + (demands > 2 ? 0.5 : 0) + (demands > 4 ? 0.5 : 0);
  if (what < (who >= 2.5 ? 0.5 : who >= 1.5 ? 1 : 1.4)) return 0;
  return (
    who +
    what +
    sum(HOW, classes) -
    ((classes & CLASS.report) !== 0 ? 1 : 0) -
    ((classes & CLASS.build) !== 0 ? 0.5 : 0)
  );
}

const OF_MODEL =
  FORM.toMachine |
  FORM.ownTask |
  FORM.ownTalk |
  FORM.ownTool |
  FORM.overrideTask |
  FORM.madeYou |
  FORM.youWere |
  FORM.newTask |
  FORM.callLike |
  FORM.shell |
  FORM.machineReads;
const CALLED = FORM.vocative | FORM.toMachine | FORM.anyMachine | FORM.ifMachine | FORM.machineReads | FORM.duty;

function sum(weights: readonly (readonly [number, number])[], bits: number): number {
  let all = 0;
  for (const [bit, weight] of weights) if ((bits & bit) !== 0) all += weight;
  return all;
}
