import { defineTool, fail, field, z } from './kit.ts';

/**
 * What does not compile. The build fails when one of these lines compiles: nothing here runs.
 */
const whole = {
  name: 'notes_get_item',
  title: 'Get a note',
  description: 'Returns one note by its number.',
  input: { id: field('Number of the note', z.number()) },
  output: { text: field('Its text', z.string()) },
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
};
const run = () => ({ text: '' });

export function definitionsThatDoNotCompile(): void {
  defineTool({ ...whole, run });
  const { title: _title, ...untitled } = whole;
  // @ts-expect-error: the title is missing
  defineTool({ ...untitled, run });
  const { description: _description, ...undescribed } = whole;
  // @ts-expect-error: the description is missing
  defineTool({ ...undescribed, run });
  const { output: _output, ...withoutOutput } = whole;
  // @ts-expect-error: the output is missing
  defineTool({ ...withoutOutput, run });
  const { hints: _hints, ...unhinted } = whole;
  // @ts-expect-error: the hints are missing
  defineTool({ ...unhinted, run });
  const { openWorld: _openWorld, ...threeHints } = whole.hints;
  // @ts-expect-error: one of the four hints is missing
  defineTool({ ...whole, hints: threeHints, run });
  // @ts-expect-error: a field has no description
  defineTool({ ...whole, input: { id: z.number() }, run });
  // @ts-expect-error: the result does not fit the output
  defineTool({ ...whole, run: () => ({ text: 7 }) });
  // @ts-expect-error: the input has no such member
  defineTool({ ...whole, run: ({ number }) => ({ text: String(number) }) });
  // @ts-expect-error: the next step is missing
  fail('There is no such note.');
}
