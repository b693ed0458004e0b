import { SIGN_WORDS, type SignClass } from './sign-words.ts';

/** What stands in a sentence: classes of its words, and how they stand to each other. */
export interface Signs {
  readonly start: number;
  readonly end: number;
  readonly words: number;
  /** Bits of {@link CLASS}. */
  readonly classes: number;
  /** Bits of {@link FORM}. */
  readonly forms: number;
  /** Verbs that are demanded, not told. */
  readonly demands: number;
}

/** All classes, in order. */
export const NAMES = Object.keys(SIGN_WORDS) as SignClass[];

/** One bit per class. */
export const CLASS = Object.fromEntries(NAMES.map((name, at) => [name, 1 << at])) as Readonly<
  Record<SignClass, number>
>;

const FORMS = [
  ...(['address', 'callLike', 'shell', 'vocative', 'duty', 'ownTask', 'ownTalk', 'ownTool', 'yourOwner'] as const),
  ...(['asksSend', 'asksAct', 'asksSay', 'asksOverride', 'readsThis', 'notTell', 'notPermit', 'notTellOwner'] as const),
  ...(['anyMachine', 'ifMachine', 'machineReads', 'madeYou', 'overrideTask', 'newTask', 'ownerSecret'] as const),
  ...(['sayThat', 'toMachine', 'role', 'sendSecret', 'iAm', 'youAre', 'unbound', 'youWere'] as const),
];
type Form = (typeof FORMS)[number];

/** One bit per form. */
export const FORM = Object.fromEntries(FORMS.map((name, at) => [name, 1 << at])) as Readonly<Record<Form, number>>;
