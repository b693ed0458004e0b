import { member, memberText } from '../../core/json.ts';
import { forEachTool, nameOf, type Rule } from '../rule.ts';
import { propertiesOf, toPointer } from '../walk-schema.ts';
import { example, withParameters } from './examples.ts';

const SHORT = 20;
/** OpenAI refuses a function description beyond this. */
const LONG = 1_024;

function descriptionOf(tool: Parameters<typeof nameOf>[0]): string {
  const text = member(tool, 'description');
  return typeof text === 'string' ? text.trim() : '';
}

const PLACEHOLDER = /^\s{0,9}(?:TODO|TBD|FIXME)\b/;

function titleOf(tool: Parameters<typeof nameOf>[0]): string | undefined {
  const title = member(tool, 'title') ?? member(member(tool, 'annotations'), 'title');
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined;
}

/** "getForecast" and "get-forecast" are "get forecast". */
function toWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word))
    .join(' ');
}

/** The name in words, without the name of the service where all tools begin with it. */
function toTitle(name: string, names: ReadonlySet<string>): string {
  const words = toWords(name).split(' ');
  const isService =
    names.size > 1 && words.length > 2 && [...names].every((one) => toWords(one).split(' ')[0] === words[0]);
  const title = (isService ? words.slice(1) : words).join(' ');
  return `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`;
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
    *mend(tool) {
      if (descriptionOf(tool) !== '') return;
      const title = titleOf(tool) ?? toWords(nameOf(tool));
      const value = `TODO: ${title}. Say when to use the tool and what it returns.`;
      yield { path: '/description', value, why: 'Only its author can describe it.' };
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
    *mend(tool) {
      for (const [name, property] of propertiesOf(member(tool, 'inputSchema'))) {
        const text = member(property, 'description');
        if (typeof text === 'string' && text.trim() !== '') continue;
        const path = `/inputSchema/properties/${toPointer(name)}/description`;
        yield {
          path,
          value: `TODO: say what "${toWords(name)}" is, with an example`,
          why: 'Only its author can describe it.',
        };
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
      if (titleOf(tool) === undefined) yield { path: '/title', message: 'There is no title.' };
    },
    *mend(tool, names) {
      const value = toTitle(nameOf(tool), names);
      if (titleOf(tool) === undefined && value !== '') yield { path: '/title', value, why: 'It is the name in words.' };
    },
  }),
  forEachTool({
    id: 'descriptions/placeholder',
    level: 'warning',
    requires: 'A description is finished',
    why: 'A model reads "TODO" as a description that says nothing. "--fix" writes it where only the author knows.',
    fix: 'Write the description.',
    good: [example(), example({ description: 'Lists the tasks that are still to do, the oldest first.' })],
    bad: [
      example({ description: 'TODO: get the forecast.' }),
      withParameters({ city: { type: 'string', description: 'TODO' } }),
    ],
    *checkTool(tool) {
      if (PLACEHOLDER.test(descriptionOf(tool)))
        yield { path: '/description', message: 'The description is a placeholder.' };
      for (const [name, property] of propertiesOf(member(tool, 'inputSchema')))
        if (PLACEHOLDER.test(memberText(property, 'description')))
          yield {
            path: `/inputSchema/properties/${toPointer(name)}/description`,
            message: `The description of "${name}" is a placeholder.`,
          };
    },
  }),
];
