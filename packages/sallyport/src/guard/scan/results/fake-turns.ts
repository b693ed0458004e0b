import { kindsOf } from './lexicon.ts';
import { DEMAND, type Spoken, type SpokenRule } from './spoken-to.ts';
import type { Words } from './words.ts';

const POSED: SpokenRule = {
  id: 'pose-as-user',
  owasp: 'MCP06',
  why: 'It poses as the user.',
};
const TURNED: SpokenRule = {
  id: 'fake-turn',
  owasp: 'MCP06',
  why: 'It writes the marks between the turns of a conversation and goes on as another.',
};

export const TURN_RULES: readonly SpokenRule[] = [POSED, TURNED];

/** What closes the data or opens another turn, in the formats of the common models; by what is looked for first. */
const TURN_MARKS: readonly (readonly [string, RegExp])[] = [
  ['<|', /<\|(?:im_start|im_end|start_header_id|eot_id|system|user|assistant|end)\|>/y],
  ['INST]', /INST\]/y],
  ['<<SYS', /<<SYS>>/y],
  ['### ', /### (?:instruction|response|human|assistant|system|user|input):/iy],
  ['<start_of', /<start_of_turn>/y],
  [
    '</',
    /<\/(?:tool_(?:response|result|output|call)|function_(?:results?|calls?)|conversation|context|document|data|s)>/y,
  ],
];
const MAX_MARKS = 4_096;
/** Characters. */
const AFTER = 240;
const USERS = kindsOf('user');
/** A person who goes on after the answer that stands above. */
const GOES_ON =
  /^(?:ok(?:ay)?|thanks|thank you|thx|great|perfect|good|nice|fine|cool|now|also|one (?:more|last)|and now|next|yes)\b/i;

/** Whoever speaks for those who made the model: no data goes on as that. */
const OTHER =
  /^(?:<\|(?:im_start|start_header_id)\|>)?\s?(?:system|developer|operator)(?:<\|end_header_id\|>|\s{0,2}:|\n)\s*\S/i;

/** In a sentence about the format they are only named. */
function isMark(text: string, at: number, mark: string): boolean {
  const before = text[at - 1] ?? '\n';
  return before !== '`' && (mark === '</' || before === '\n' || '>].[/'.includes(before));
}

/** Somebody else's turn in the middle of data. */
export function findFakeTurns(text: string, words: Words): readonly Spoken[] {
  const found: Spoken[] = [];
  for (const [mark, whole] of TURN_MARKS)
    for (let at = text.indexOf(mark), i = 0; at >= 0 && i < MAX_MARKS; at = text.indexOf(mark, at + 1), i++) {
      whole.lastIndex = at;
      if (!whole.test(text)) continue;
      const end = whole.lastIndex;
      if (!isMark(text, at, mark)) continue;
      const said = text.slice(end, end + AFTER).trimStart();
      if (OTHER.test(said)) found.push({ rule: TURNED, weight: 0.6, start: at, end });
      else if (DEMAND.test(said)) found.push({ rule: TURNED, weight: 0.5, start: at, end });
    }
  for (let at = 0; at < words.count && found.length < MAX_FOUND; at++)
    if (USERS[words.kinds[at] ?? 0] === 1) addTurn(text, words.starts[at] ?? 0, found);
  return found;
}

function addTurn(text: string, start: number, found: Spoken[]): void {
  const name = TURN.exec(text.slice(start, start + 24));
  if (name === null || !/(?:\n|<)[ \t#*[]{0,6}$/.test(text.slice(Math.max(0, start - 8), start))) return;
  const from = start + name[0].length;
  const said = text.slice(from, from + AFTER);
  if (GOES_ON.test(said) && DEMAND.test(said)) found.push({ rule: POSED, weight: 0.55, start, end: from });
}

const TURN = /^(?:human|user)[>:*\]]{1,3}\s{0,3}/i;
const MAX_FOUND = 32;
