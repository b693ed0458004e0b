import { isObject, member, memberText } from '../../core/json.ts';
import { forEachTool, nameOf, type Rule } from '../rule.ts';
import { freeName } from '../shorten-name.ts';
import { walkSchema } from '../walk-schema.ts';
import { example, withParameters } from './examples.ts';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What the specification of MCP requires of a definition. */
export const SPEC_RULES: readonly Rule[] = [
  forEachTool({
    id: 'spec/name-characters',
    level: 'error',
    requires: 'A tool name has 1 to 128 of the characters A-Z a-z 0-9 _ . -',
    why: 'Clients refuse or change other names (MCP specification, tool names).',
    fix: 'Rename the tool.',
    good: [example(), example({ name: 'a.b-c_d' })],
    bad: [example({ name: 'get weather' }), example({ name: '' }), example({ name: undefined })],
    *checkTool(tool) {
      if (!NAME.test(nameOf(tool)))
        yield { path: '/name', message: `The name "${nameOf(tool)}" has other characters.` };
    },
    *mend(tool, names) {
      const name = memberText(tool, 'name');
      const cleaned = name
        .split(/[^A-Za-z0-9_.-]/)
        .filter(Boolean)
        .join('_');
      if (name.length <= 128 && !NAME.test(name) && cleaned !== '')
        yield { path: '/name', value: freeName(cleaned, names), why: 'Other characters became "_".' };
    },
  }),
  {
    id: 'spec/duplicate-name',
    level: 'error',
    requires: 'No two tools of a server have the same name',
    why: 'A client can call only one of them, and does not know which.',
    fix: 'Rename one of them.',
    good: [
      example(),
      example({ name: 'weather_get_history', description: 'Returns the weather of past days in a city.' }),
    ],
    bad: [example(), example()],
    *check({ tools }) {
      const seen = new Set<string>();
      for (const tool of tools) {
        const name = nameOf(tool);
        if (seen.has(name)) yield { tool: name, path: '/name', message: `Another tool is also called "${name}".` };
        seen.add(name);
      }
    },
  },
  forEachTool({
    id: 'spec/input-schema',
    level: 'error',
    requires: 'inputSchema is an object schema with "type": "object"',
    why: 'Strict clients refuse the whole list of a server when one tool lacks it.',
    fix: 'Write {"type": "object", "properties": {}} for a tool without parameters.',
    good: [example(), withParameters({})],
    bad: [example({ inputSchema: undefined }), example({ inputSchema: { properties: {} } })],
    *checkTool(tool) {
      const schema = member(tool, 'inputSchema');
      if (!isObject(schema)) yield { path: '/inputSchema', message: 'There is no inputSchema.' };
      else if (member(schema, 'type') !== 'object')
        yield { path: '/inputSchema/type', message: 'The type of inputSchema is not "object".' };
    },
    *mend(tool) {
      const schema = member(tool, 'inputSchema');
      if (schema === undefined || schema === null)
        yield { path: '/inputSchema', value: { type: 'object', properties: {} }, why: 'The tool takes no parameters.' };
      else if (isObject(schema) && member(schema, 'type') === undefined)
        yield { path: '/inputSchema/type', value: 'object', why: 'Arguments are always an object.' };
    },
  }),
  forEachTool({
    id: 'spec/schema-keywords',
    level: 'error',
    requires: 'Schemas use the types and keyword shapes of JSON Schema',
    why: 'A validator that meets an unknown type or a keyword of the wrong shape refuses the schema.',
    fix: 'Correct the keyword.',
    good: [example(), withParameters({ id: { type: ['string', 'null'], description: 'Id or null for all' } })],
    bad: [withParameters({ id: { type: 'str', description: 'Id' } }), withParameters({}, { required: 'id' })],
    *checkTool(tool) {
      for (const side of ['inputSchema', 'outputSchema'] as const) {
        for (const { path, schema } of walkSchema(member(tool, side), `/${side}`)) {
          const type = member(schema, 'type');
          const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
          const unknown = types.find((one) => typeof one !== 'string' || !TYPES.has(one));
          if (unknown !== undefined) yield { path: `${path}/type`, message: `"${String(unknown)}" is not a type.` };
          const required = member(schema, 'required');
          if (required !== undefined && !Array.isArray(required))
            yield { path: `${path}/required`, message: '"required" is not a list of names.' };
        }
      }
    },
  }),
  forEachTool({
    id: 'spec/hint-types',
    level: 'warning',
    requires: 'Hints in annotations are true or false',
    why: 'Clients ignore a hint that is a text, or take it for true.',
    fix: 'Write true or false without quotes.',
    good: [example()],
    bad: [example({ annotations: { readOnlyHint: 'true' } })],
    *checkTool(tool) {
      for (const hint of HINTS) {
        const value = member(member(tool, 'annotations'), hint);
        if (value !== undefined && typeof value !== 'boolean')
          yield { path: `/annotations/${hint}`, message: `${hint} is not true or false.` };
      }
    },
    *mend(tool) {
      for (const hint of HINTS) {
        const value = member(member(tool, 'annotations'), hint);
        if (value === undefined || typeof value === 'boolean') continue;
        const meant = /^(true|false)$/i.exec(String(value).trim())?.[1]?.toLowerCase();
        yield meant === undefined
          ? { path: `/annotations/${hint}`, value: undefined, why: 'Clients ignore it.' }
          : { path: `/annotations/${hint}`, value: meant === 'true', why: 'Its text says so.' };
      }
    },
  }),
];
