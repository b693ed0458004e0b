import { member } from '../../core/json.ts';
import { forEachTool, nameOf, type Rule } from '../rule.ts';
import { freeName, shortenName } from '../shorten-name.ts';
import { propertiesOf } from '../walk-schema.ts';
import { example, withParameters } from './examples.ts';

const MAX_NAME = 64;
const STYLES: readonly (readonly [string, RegExp])[] = [
  ['snake_case', /^[a-z0-9]+(?:_[a-z0-9]+)+$/],
  ['camelCase', /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+$/],
  ['kebab-case', /^[a-z0-9]+(?:-[a-z0-9]+)+$/],
];
const WORDS = /[a-z]+|[A-Z][a-z]*|\d+/g;
/** Words that say nothing about what a tool does, alone in a name. */
const VAGUE = new Set([
  'get',
  'run',
  'do',
  'execute',
  'call',
  'process',
  'handle',
  'tool',
  'action',
  'query',
  'fetch',
  'main',
]);

/** How tools, parameters and servers are called. */
export const NAME_RULES: readonly Rule[] = [
  forEachTool({
    id: 'names/length',
    level: 'error',
    requires: `A tool name has at most ${MAX_NAME} characters`,
    why: 'OpenAI, Anthropic and many clients refuse longer names; a gateway may also add a prefix.',
    fix: 'Shorten the name.',
    good: [example()],
    bad: [example({ name: `weather_get_${'very_'.repeat(12)}long_forecast` })],
    *checkTool(tool) {
      const { length } = nameOf(tool);
      if (length > MAX_NAME) yield { path: '/name', message: `The name has ${length} characters.` };
    },
    *mend(tool, names) {
      const name = nameOf(tool);
      if (name.length > MAX_NAME)
        yield {
          path: '/name',
          value: freeName(shortenName(name, MAX_NAME), names),
          why: `Words in the middle are left out; the name had ${name.length} characters.`,
        };
    },
  }),
  forEachTool({
    id: 'names/vague',
    level: 'warning',
    requires: 'A name says what the tool acts on',
    why: 'Beside the tools of other servers, a name such as "get" or "run" tells a model nothing.',
    fix: 'Name the tool {service}_{action}_{resource}, for example weather_get_forecast.',
    good: [example(), example({ name: 'echo' })],
    bad: [example({ name: 'get' }), example({ name: 'execute' })],
    *checkTool(tool) {
      const words = nameOf(tool).match(WORDS) ?? [];
      if (words.length === 1 && VAGUE.has(words[0].toLowerCase()))
        yield { path: '/name', message: `"${nameOf(tool)}" does not say what it acts on.` };
    },
  }),
  forEachTool({
    id: 'names/form',
    level: 'note',
    requires: 'A tool is called {service}_{action}_{resource} in lower case',
    why: 'One form for all servers keeps names apart when many servers are connected.',
    fix: 'Rename the tool before others depend on the name.',
    good: [example()],
    bad: [example({ name: 'getForecast' })],
    *checkTool(tool) {
      if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(nameOf(tool)))
        yield { path: '/name', message: `"${nameOf(tool)}" has another form.` };
    },
  }),
  {
    id: 'names/mixed-styles',
    level: 'warning',
    requires: 'All tools of a server use one style of names',
    why: 'Models guess the names of tools they have seen only once; two styles make them guess wrong.',
    fix: 'Choose one style, for example snake_case, for all tools.',
    good: [
      example(),
      example({ name: 'weather_get_history', description: 'Returns the weather of past days in a city.' }),
    ],
    bad: [example(), example({ name: 'getHistory', description: 'Returns the weather of past days in a city.' })],
    *check({ tools }) {
      const used = new Map<string, string>();
      for (const tool of tools) {
        const style = STYLES.find(([, pattern]) => pattern.test(nameOf(tool)))?.[0];
        if (style !== undefined && !used.has(style)) used.set(style, nameOf(tool));
      }
      if (used.size > 1)
        yield { message: `The server mixes ${[...used].map(([style, name]) => `${style} (${name})`).join(' and ')}.` };
    },
  },
  forEachTool({
    id: 'names/parameter-characters',
    level: 'error',
    requires: 'A parameter name has 1 to 64 of the characters A-Z a-z 0-9 _ . -',
    why: 'Anthropic refuses a request with other parameter names, so that no tool of the list can be used.',
    fix: 'Rename the parameter.',
    good: [example()],
    bad: [withParameters({ 'first name': { type: 'string', description: 'First name of the person' } })],
    *checkTool(tool) {
      for (const [name] of propertiesOf(member(tool, 'inputSchema')))
        if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
          yield {
            path: '/inputSchema/properties',
            message: `The parameter "${name}" has other characters, or too many.`,
          };
    },
  }),
];
