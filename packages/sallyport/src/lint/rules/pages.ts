import { isObject, member } from '../../core/json.ts';
import { forEachTool, nameOf, type Rule } from '../rule.ts';
import { propertiesOf } from '../walk-schema.ts';
import { example, withParameters } from './examples.ts';

const LISTS = /(?:^|[_-])(?:list|search|find|query)(?=[_-]|$)/;
const BOUND =
  /^(?:limit|max|page|per_?page|page_?size|count|top|first|size|num|n|k|cursor|offset)|_(?:limit|count|size)$|(?:Limit|Count|Size|Results)$|^max_?/i;

/** How tools that return many items let a model take some of them. */
export const PAGE_RULES: readonly Rule[] = [
  forEachTool({
    id: 'pages/limit-missing',
    level: 'note',
    requires: 'A tool that lists or searches takes a limit',
    why: 'Without one, a single call can fill the context of a model.',
    fix: 'Add "limit" (default 20, at most 100) and "offset", and return has_more and next_offset.',
    good: [
      example(),
      withLimit({ type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many, at most 100' }),
    ],
    bad: [example({ name: 'weather_list_stations' })],
    *checkTool(tool) {
      const name = nameOf(tool)
        .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
        .toLowerCase();
      const names = propertiesOf(member(tool, 'inputSchema')).map(([parameter]) => parameter);
      if (LISTS.test(name) && !names.some((one) => BOUND.test(one)))
        yield { path: '/inputSchema/properties', message: 'It takes no limit.' };
    },
  }),
  forEachTool({
    id: 'pages/limit-unbounded',
    level: 'note',
    requires: 'A limit has a maximum',
    why: 'A model that asks for a million items gets them.',
    fix: 'Add "maximum", for example 100.',
    good: [withLimit({ type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many, at most 100' })],
    bad: [withLimit({ type: 'integer', description: 'How many' })],
    *checkTool(tool) {
      for (const [name, schema] of propertiesOf(member(tool, 'inputSchema'))) {
        const isNumber = ['integer', 'number'].includes(String(member(schema, 'type')));
        if (
          isNumber &&
          /^(?:limit|page_?size|per_?page|max_?results)$/i.test(name) &&
          isObject(schema) &&
          member(schema, 'maximum') === undefined
        )
          yield { path: `/inputSchema/properties/${name}`, message: `"${name}" has no maximum.` };
      }
    },
  }),
];

function withLimit(limit: Readonly<Record<string, unknown>>) {
  return { ...withParameters({ limit }), name: 'weather_list_stations' };
}
