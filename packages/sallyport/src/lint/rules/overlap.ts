import { memberText } from '../../core/json.ts';
import { nameOf, type Rule } from '../rule.ts';
import { example } from './examples.ts';

/** Shared words of all words in two descriptions, from which on a model can hardly tell them apart. */
const ALIKE = 0.9;
const MIN_WORDS = 5;

/** Tools of one server that a model confuses. */
export const OVERLAP_RULES: readonly Rule[] = [
  {
    id: 'overlap/description',
    level: 'warning',
    requires: 'Each tool of a server has a description of its own',
    why: 'A model that cannot tell two tools apart chooses one by chance.',
    fix: 'Say in each description when to use this tool and not the other; or merge the two.',
    good: [
      example(),
      example({ name: 'weather_get_history', description: 'Returns the weather of past days in a city.' }),
    ],
    bad: [example(), example({ name: 'weather_get_prediction' })],
    *check({ tools }) {
      const seen: { readonly name: string; readonly words: ReadonlySet<string> }[] = [];
      const byText = new Map<string, string>();
      for (const tool of tools) {
        const [name, text] = [nameOf(tool), memberText(tool, 'description')];
        const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
        const twin =
          byText.get(text) ??
          (tools.length > MAX_COMPARED ? undefined : seen.find((other) => areAlike(other.words, words))?.name);
        if (twin !== undefined && words.size >= MIN_WORDS && twin !== name)
          yield { tool: name, path: '/description', message: `Its description is nearly that of "${twin}".` };
        byText.set(text, name);
        seen.push({ name, words });
      }
    },
  },
];

/** Each pair is compared; beyond this only equal texts are found. */
const MAX_COMPARED = 1_000;

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  if (few.size < MIN_WORDS || few.size / many.size < ALIKE) return false;
  let shared = 0;
  for (const word of few) if (many.has(word)) shared++;
  return shared / (one.size + other.size - shared) >= ALIKE;
}
