import type { Scan } from '../../core/finding.ts';
import type { JsonObject } from '../../core/json.ts';
import { toCanonical } from './canonical.ts';
import { readTexts } from './definition-reading.ts';
import { type DefinitionText, textsOf } from './definition-texts.ts';
import type { DefinitionContext } from './scan-context.ts';
import { judge } from './scan-definition.ts';
import { REVIEW_FROM } from './thresholds.ts';

const WORD = /[\p{L}\p{N}_]{1,200}/gu;
/** Words in a row that tell an old sentence from a new one. */
const RUN = 3;

/**
 * Reads what a change added to an approved definition, and nothing that a person approved before: moved, reworded and
 * removed text is not new. Whatever it finds, the change is held by its pin.
 */
export function scanChange(before: JsonObject, after: JsonObject, context: DefinitionContext): Scan {
  const old = new Map(textsOf(before).map(({ where, text }) => [where, text]));
  const known = new Set<string>();
  for (const text of old.values()) for (const run of runsOf(text)) known.add(run);
  const added = textsOf(after).flatMap((text) => (old.get(text.where) === text.text ? [] : addedTo(text, known)));
  return judge(readTexts(added), {
    definition: after,
    context,
    from: REVIEW_FROM.change,
    isNew: (where, said) => !old.has(where) || (said !== '' && runsOf(said).some((run) => !known.has(run))),
  });
}

/** The parts of a text that hold words in an order that the old definition did not have; nothing else is left of it. */
function addedTo(text: DefinitionText, known: ReadonlySet<string>): readonly DefinitionText[] {
  if (text.role === 'parameter' || text.role === 'name') return known.has(text.text.toLowerCase()) ? [] : [text];
  // What is hidden is read whole: its words are not those of the text.
  if (toCanonical(text.text).views.length > 1 || toCanonical(text.text).marks.length > 0) return [text];
  const words = [...text.text.matchAll(WORD)];
  const isNew = new Array<boolean>(words.length).fill(false);
  if (words.length < RUN) return known.has(keyOf(words)) ? [] : [text];
  for (let i = 0; i + RUN <= words.length; i++) {
    if (known.has(keyOf(words.slice(i, i + RUN)))) continue;
    for (let j = i; j < i + RUN; j++) isNew[j] = true;
  }
  if (!isNew.includes(true)) return [];
  // Empty lines where the old words were: places stay those of the text, and what they parted stays apart.
  let kept = '';
  let at = 0;
  for (const [index, word] of words.entries()) {
    const end = word.index + word[0].length;
    kept += isNew[index] === true ? text.text.slice(at, end) : '\n'.repeat(end - at);
    at = end;
  }
  return [{ ...text, text: kept + (isNew.at(-1) === true ? text.text.slice(at) : '') }];
}

function runsOf(text: string): readonly string[] {
  const words = [...text.matchAll(WORD)];
  if (words.length < RUN) return [keyOf(words)];
  return words.slice(0, words.length - RUN + 1).map((_, i) => keyOf(words.slice(i, i + RUN)));
}

function keyOf(words: readonly RegExpExecArray[]): string {
  return words.map(([word]) => word.toLowerCase()).join(' ');
}
