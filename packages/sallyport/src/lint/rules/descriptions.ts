import { member } from '../../core/json.ts';
import { forEachTool, nameOf, type Rule } from '../rule.ts';
import { propertiesOf } from '../walk-schema.ts';
import { example, withParameters } from './examples.ts';

const SHORT = 20;
/** OpenAI refuses a function description beyond this. */
const LONG = 1_024;

function descriptionOf(tool: Parameters<typeof nameOf>[0]): string {
  const text = member(tool, 'description');
  return typeof text === 'string' ? text.trim() : '';
}

/** What models read to choose a tool and to fill in its parameters. */
export const DESCRIPTION_RULES: readonly Rule[] = [
  forEachTool({
    id: 'descriptions/missing',
    level: 'warning',
    requires: 'Every tool has a description',
    why: 'A model chooses tools by their descriptions; without one it has only the name.',
    fix: 'Say what the tool does, when to use it and what it returns.',
    good: [example()],
    bad: [example({ description: undefined }), example({ description: ' ' })],
    *checkTool(tool) {
      if (descriptionOf(tool) === '') yield { path: '/description', message: 'There is no description.' };
    },
  }),
  forEachTool({
    id: 'descriptions/short',
    level: 'warning',
    requires: `A description has at least ${SHORT} characters`,
    why: 'A few words do not say when to use the tool and what it returns.',
    fix: 'Add when to use the tool and what it returns.',
    good: [example(), example({ description: '返回某个城市明天的天气预报' })],
    bad: [example({ description: 'Forecast.' }), example({ description: '天气预报' })],
    *checkTool(tool) {
      // A character of Chinese, Japanese or Korean says as much as three Latin letters.
      const { length } = descriptionOf(tool).replace(
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu,
        '$&--',
      );
      if (length > 0 && length < SHORT)
        yield { path: '/description', message: `The description has ${length} characters.` };
    },
  }),
  forEachTool({
    id: 'descriptions/long',
    level: 'warning',
    requires: `A description has at most ${LONG.toLocaleString('en')} characters`,
    why: 'It is part of every request to the model, and OpenAI refuses longer ones.',
    fix: 'Move details to the parameters, to a resource or to the instructions of the server.',
    good: [example()],
    bad: [example({ description: 'Returns the forecast. '.repeat(60) })],
    *checkTool(tool) {
      const { length } = descriptionOf(tool);
      if (length > LONG) yield { path: '/description', message: `The description has ${length} characters.` };
    },
  }),
  forEachTool({
    id: 'descriptions/repeats-name',
    level: 'warning',
    requires: 'A description says more than the name',
    why: 'A description that repeats the name costs tokens and tells a model nothing.',
    fix: 'Say when to use the tool and what it returns.',
    good: [example()],
    bad: [example({ description: 'Weather: get the forecast.' })],
    *checkTool(tool) {
      const words = (text: string) =>
        new Set(
          text
            .toLowerCase()
            .match(/[a-z]{2,}/g)
            ?.filter((word) => word !== 'the') ?? [],
        );
      const said = words(descriptionOf(tool));
      const known = words(
        nameOf(tool)
          .replaceAll('_', ' ')
          .replace(/([a-z])([A-Z])/g, '$1 $2'),
      );
      if (said.size > 0 && [...said].every((word) => known.has(word)))
        yield { path: '/description', message: 'The description says only what the name says.' };
    },
  }),
  forEachTool({
    id: 'descriptions/parameter-missing',
    level: 'warning',
    requires: 'Every parameter has a description',
    why: 'Models invent values for parameters they do not understand.',
    fix: 'Say what the value is, with an example: "Name of a city, for example \\"Paris\\"".',
    good: [example(), withParameters({})],
    bad: [withParameters({ city: { type: 'string' } })],
    *checkTool(tool) {
      for (const [name, property] of propertiesOf(member(tool, 'inputSchema'))) {
        const text = member(property, 'description');
        if (typeof text !== 'string' || text.trim() === '')
          yield { path: `/inputSchema/properties/${name}`, message: `The parameter "${name}" has no description.` };
      }
    },
  }),
  forEachTool({
    id: 'descriptions/title-missing',
    level: 'note',
    requires: 'Every tool has a title',
    why: 'Clients show the title to people, and the name where there is none.',
    fix: 'Add a title of two to five words.',
    good: [example()],
    bad: [example({ title: undefined })],
    *checkTool(tool) {
      const title = member(tool, 'title') ?? member(member(tool, 'annotations'), 'title');
      if (typeof title !== 'string' || title.trim() === '') yield { path: '/title', message: 'There is no title.' };
    },
  }),
];
