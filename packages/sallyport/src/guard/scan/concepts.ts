import type { ScanWord } from './scan-words.ts';

/** Words one after the other in one sentence, each at most so many characters after the one before. */
export interface Row {
  readonly words: readonly ScanWord[];
  readonly gap: number;
}

const row = (gap: number, ...words: readonly ScanWord[]): Row => ({ gap, words });

/** What a clause of a definition does, by reason and not by sentence: one of these ways is enough. */
export const CONCEPTS = {
  /** The user, or a person, shall not know. */
  conceal: [
    row(32, 'not', 'tell', 'whom'),
    row(0, 'secretly'),
    row(0, 'hiddenFrom'),
    row(0, 'unaware'),
    row(0, 'keepSecret'),
    row(0, 'undiscussed'),
  ],
  /** The same, said to a model about what it does. */
  hush: [
    row(24, 'not', 'hushTell', 'person'),
    row(8, 'not', 'hushTell', 'deed'),
    row(12, 'secretly', 'takeVerb'),
    row(0, 'hiddenFrom'),
    row(0, 'unaware'),
    row(0, 'keepSecret'),
    row(20, 'notAbroad', 'tellAbroad', 'userAbroad'),
    row(12, 'tellAbroad', 'userNot'),
    row(12, 'userNot', 'tellAbroad'),
    row(12, 'userFirst', 'tellNot'),
    row(0, 'unawareAbroad'),
    row(0, 'hushFar'),
  ],
  /** What was said before, or what keeps a model safe, shall not count. */
  override: [
    row(28, 'setAside', 'told'),
    row(60, 'treat', 'asOrder'),
    row(24, 'told', 'suspended'),
    row(0, 'above'),
    row(32, 'told', 'unbreakable'),
    row(0, 'newRole'),
    row(4, 'anyInput', 'person'),
  ],
  /** The same, said to a model without doubt. */
  reset: [
    row(6, 'setAside', 'toldBefore'),
    row(40, 'thisText', 'outranks', 'toldBefore'),
    row(12, 'thisText', 'outranks', 'userWill'),
    row(24, 'label', 'unbreakable'),
    row(4, 'unbreakable', 'person'),
    row(0, 'newRole'),
    row(16, 'ignoreAbroad', 'beforeAbroad', 'toldAbroad'),
    row(16, 'ignoreAbroad', 'toldAbroad', 'beforeAbroad'),
    row(16, 'beforeAbroad', 'toldAbroad', 'ignoreAbroad'),
    row(0, 'resetFar'),
  ],
  /** Speaks as somebody above the user, or for the user: a system, security, compliance, a consent that was given. */
  authority: [row(20, 'rank', 'label'), row(0, 'systemLabel'), row(0, 'enforced'), row(0, 'preApproved')],
  /** Something else has to be done, at a time that another action sets. */
  trigger: [row(0, 'trigger'), row(0, 'triggerAbroad')],
  must: [row(0, 'must')],
  /** One thing more, or before. */
  extra: [row(0, 'extra')],
  /** Why, in words that fit anything. */
  excuse: [row(32, 'why', 'virtue'), row(0, 'purpose')],
  /** Takes something along, or away. */
  send: [row(0, 'send'), row(0, 'sendAbroad')],
  /** Sends something somewhere. */
  sendTo: [
    row(60, 'sendOut', 'url'),
    row(60, 'sendOut', 'mail'),
    row(60, 'sendOut', 'elsewhere'),
    row(24, 'mail', 'sendOut'),
    row(60, 'sendOut', 'bareHost'),
    row(0, 'leakyImage'),
  ],
  /** Takes away, said plainly. */
  exfiltrate: [row(0, 'exfiltrate'), row(0, 'valueOfSecret'), row(50, 'innermost', 'into')],
  /** Files that open other doors. */
  secretPath: [row(0, 'homeFile'), row(0, 'keyFile'), row(0, 'envFile')],
  secretData: [row(0, 'secretData')],
  /** Speaks to the model, or of it. */
  model: [row(0, 'model')],
  /** A command line in a text. */
  shell: [row(0, 'program'), row(0, 'chain')],
  execute: [row(24, 'run', 'command')],
  call: [row(0, 'call')],
  /** Puts its own values where the user's belong. */
  tamper: [row(40, 'change', 'argument'), row(40, 'argument', 'change')],
  anyInput: [row(0, 'anyInput')],
  /** Puts words into the answer. */
  answer: [row(24, 'say', 'words')],
  redirect: [
    row(24, 'others', 'disparage'),
    row(24, 'disparage', 'others'),
    row(0, 'replaced'),
    row(0, 'instead'),
    row(32, 'reroute', 'requests'),
  ],
  session: [row(0, 'session')],
  delayed: [row(0, 'delayed'), row(0, 'laterCalls')],
  /** Sells itself. */
  promo: [row(0, 'praise'), row(0, 'endorsed'), row(0, 'betterThan')],
  /** The same, of itself and in so many words. */
  boast: [row(0, 'boast'), row(0, 'praisingName'), row(0, 'bestName')],
  /** Wants to be chosen. */
  greedy: [row(0, 'choose')],
  /** Brackets that pretend to be of the prompt. */
  tag: [row(0, 'markup'), row(0, 'emphasis')],
  /** Of these the ones that no author of a tool needs. */
  promptTag: [row(0, 'markup')],
  /** Speaks of the tools of others, or of all. */
  others: [row(0, 'others')],
  /** What the user wants or would be asked does not decide. */
  overUser: [
    row(0, 'overWill'),
    row(0, 'unasked'),
    row(40, 'thisText', 'outranks', 'userWill'),
    row(40, 'userWill', 'yields', 'thisText'),
    row(40, 'conflict', 'person', 'thisText', 'wins'),
  ],
  /** What it gives back is to be obeyed. */
  obeyed: [row(0, 'obeyed')],
  /** What a person or a conversation keeps, handed over. */
  takesPersonal: [
    row(60, 'handOver', 'spoken', 'intoParameter'),
    row(60, 'spoken', 'handOver', 'intoParameter'),
    row(60, 'handOver', 'kept', 'intoParameter'),
    row(60, 'kept', 'handOver', 'intoParameter'),
    row(12, 'discloses', 'spoken'),
    row(50, 'homeFile', 'into'),
    row(50, 'keyFile', 'into'),
    row(50, 'envFile', 'into'),
  ],
  /** What was said, to the model or by it. */
  spoken: [row(0, 'spoken'), row(0, 'startedWith')],
  /** What a person keeps for himself. */
  kept: [row(0, 'kept')],
  handOver: [row(0, 'handOver')],
  /** An account or a person that the text brings along. */
  account: [row(80, 'moves', 'account'), row(80, 'account', 'moves')],
  weakens: [row(0, 'weakens')],
  phishes: [row(0, 'phishes')],
  everyTurn: [row(0, 'everyTurn')],
  rivals: [row(0, 'rivals')],
  condition: [row(0, 'condition')],
  address: [row(0, 'url'), row(0, 'mail'), row(0, 'bareHost')],
  argumentOf: [row(0, 'argumentOf')],
  gate: [row(0, 'gate')],
  /** An address or an account that is nobody's example. */
  named: [row(0, 'mail'), row(0, 'ipUrl'), row(0, 'phone'), row(0, 'iban')],
  destroys: [row(0, 'destroys')],
  deceives: [row(0, 'deceives')],
  presses: [row(0, 'presses')],
  ownRules: [row(0, 'ownRules')],
  pseudoSpec: [row(0, 'pseudoSpec')],
  /** Nobody shall know, in words of its own. */
  unspoken: [row(4, 'needless', 'speakOf'), row(0, 'blind'), row(0, 'blindAbroad')],
  /** Some tool that is none of its own, by what it can do. */
  anyTool: [row(0, 'anyTool')],
  /** What held so far has ended. */
  ended: [row(40, 'heldSoFar', 'endedNow'), row(0, 'newMaster')],
  opensDoor: [row(0, 'opensDoor')],
} as const satisfies Record<string, readonly Row[]>;

export type Concept = keyof typeof CONCEPTS;
