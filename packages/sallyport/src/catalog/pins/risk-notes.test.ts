import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import type { FieldChange, PinKind } from './pin.ts';
import { noteRisks } from './risk-notes.ts';

type Notes = readonly (readonly [text: string, isGrave: boolean])[];
const notes = (given: Partial<Parameters<typeof noteRisks>[0]>): Notes =>
  noteRisks({ kind: 'tools', before: {}, after: {}, changes: [], otherTools: [], ...given }).map(
    ({ text, grave }) => [text, grave] as const,
  );
const change = (path: string, how: FieldChange['change'], before?: Json, after?: Json): FieldChange =>
  ({ path, change: how, before, after }) as FieldChange;

describe('of a program', () => {
  const OTHER = ['other code runs with the rights of whoever started Sallyport', true] as const;
  test.each<[string, JsonObject | undefined, JsonObject, Notes]>([
    ['of an exact version', undefined, { runs: 'npm:a@1' }, []],
    ['of another version', { runs: 'npm:a@1' }, { runs: 'npm:a@2' }, []],
    [
      'of which nobody can tell what runs',
      undefined,
      { opaque: 'it is a shell' },
      [['nobody can tell what runs: it is a shell', true]],
    ],
    [
      'without an exact version',
      undefined,
      { floating: true },
      [['no exact version is asked for: whoever publishes it chooses what runs', true]],
    ],
    [
      'of the same version with other files',
      { runs: 'pypi:a@1' },
      { runs: 'pypi:a@1' },
      [['the same version with other files: pypi:a@1', true]],
    ],
    ['of this machine, changed', { runs: '/usr/bin/a' }, { runs: '/usr/bin/a' }, []],
  ])('%s', (_, before, after, expected) => {
    expect(notes({ kind: 'program', before, after })).toEqual([OTHER, ...expected]);
  });
});

describe('of words', () => {
  test('a person cannot see', () => {
    expect(notes({ before: undefined, after: { description: 'a\u200bb\u202ec\u{e0041}\n' } })).toEqual([
      ['3 invisible characters: a model reads what you cannot see', true],
    ]);
    const same = { description: 'a\u200bb' };
    expect(notes({ before: same, after: same })).toEqual([]);
    expect(notes({ before: same, after: { 'na\u200bme': ['\u200b'] } })).toEqual([
      ['2 invisible characters: a model reads what you cannot see', true],
    ]);
  });

  test('that mention other tools', () => {
    const otherTools = ['send_mail', 'own', 'get', 'read.file'];
    const after = { name: 'own', description: 'Use send_mail. Then get, own or read.file!' };
    expect(notes({ before: undefined, after, otherTools })).toEqual([
      ['mentions other tools: send_mail, read.file', true],
    ]);
    expect(notes({ before: { description: 'send_mail' }, after, otherTools })).toEqual([
      ['mentions other tools: read.file', true],
    ]);
    expect(notes({ before: undefined, after: { description: 'send_mailer' }, otherTools })).toEqual([]);
  });

  test('in which reading found something', () => {
    const found = (given: object) => notes({ found: { risky: true, findings: [], score: 0.876, ...given } as never });
    expect(found({})).toEqual([['reading it found: a suspicious whole (0.88)', true]]);
    expect(found({ findings: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] })).toEqual([['reading it found: a, b', true]]);
    expect(found({ risky: false })).toEqual([]);
  });
});

describe('of hints', () => {
  const hints = (before: JsonObject | undefined, after: JsonObject, kind: PinKind = 'tools') =>
    notes({ kind, before: before && { annotations: before }, after: { annotations: after } });

  test.each<[string, JsonObject, JsonObject, Notes]>([
    ['no change', { readOnlyHint: true }, { readOnlyHint: true }, []],
    ['what was assumed anyway', {}, { readOnlyHint: false, destructiveHint: true, openWorldHint: true }, []],
    ['it reads only', {}, { readOnlyHint: true }, [['now claims to be harmless: readOnlyHint false -> true', true]]],
    [
      'it destroys nothing',
      { destructiveHint: true },
      { destructiveHint: false },
      [['now claims to be harmless: destructiveHint true -> false', true]],
    ],
    [
      'it may be repeated',
      {},
      { idempotentHint: true },
      [['now claims to be harmless: idempotentHint false -> true', true]],
    ],
    [
      'it stays inside',
      {},
      { openWorldHint: false },
      [['now claims to be harmless: openWorldHint true -> false', true]],
    ],
    ['it writes by now', { readOnlyHint: true }, {}, [['hints weakened: readOnlyHint true -> false', false]]],
  ])('%s', (_, before, after, expected) => {
    expect(hints(before, after)).toEqual(expected);
  });

  test('of what is new, or no tool, nothing is said', () => {
    expect(hints(undefined, { readOnlyHint: true })).toEqual([]);
    expect(hints({}, { readOnlyHint: true }, 'prompts')).toEqual([]);
  });
});

const SCHEMA = '/inputSchema/properties/a';
describe('of a change', () => {
  const allows = (path: string): Notes => [[`the schema allows more: ${path}`, true]];
  test.each<[FieldChange, Notes]>([
    [change(SCHEMA, 'added', undefined, {}), [['new parameter: a', true]]],
    [change('/inputSchema/properties/a/properties/b', 'added', undefined, {}), [['new parameter: b', true]]],
    [
      change('/inputSchema/properties', 'added', undefined, { a: {}, b: {} }),
      [
        ['new parameter: a', true],
        ['new parameter: b', true],
      ],
    ],
    [change(SCHEMA, 'removed', {}), []],
    [change('/description', 'changed', 'ab', 'abcd'), [['the description grew by 2 characters', true]]],
    [change('/description', 'changed', 'abcd', 'ab'), []],
    [change('/description', 'changed', 'ab', 'cd'), []],
    [change('', 'changed', 'ab', 'abc'), [['the text grew by 1 characters', true]]],
    [
      change(`${SCHEMA}/description`, 'added', undefined, 'abc'),
      [[`${SCHEMA}/description grew by 3 characters`, true]],
    ],
    [change('/title', 'changed', 'a', 'abc'), []],
    ...['pattern', 'format', 'enum', 'const', 'maximum', 'minimum', 'maxLength', 'minLength', 'required', 'not'].map(
      (key): [FieldChange, Notes] => [change(`${SCHEMA}/${key}`, 'removed', 1), allows(`${SCHEMA}/${key}`)],
    ),
    [change(`${SCHEMA}/default`, 'removed', 1), []],
    [change('/outputSchema/properties/a/pattern', 'removed', 'x'), []],
    ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'].flatMap((key): [FieldChange, Notes][] => [
      [change(`${SCHEMA}/${key}`, 'changed', 5, 6), allows(`${SCHEMA}/${key}`)],
      [change(`${SCHEMA}/${key}`, 'changed', 6, 5), []],
    ]),
    ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems'].flatMap((key): [FieldChange, Notes][] => [
      [change(`${SCHEMA}/${key}`, 'changed', 6, 5), allows(`${SCHEMA}/${key}`)],
      [change(`${SCHEMA}/${key}`, 'changed', 5, 6), []],
    ]),
    [change('/inputSchema/additionalProperties', 'changed', false, true), allows('/inputSchema/additionalProperties')],
    [change('/inputSchema/additionalProperties', 'changed', true, false), []],
    [change(`${SCHEMA}/type`, 'changed', 'string', 'object'), allows(`${SCHEMA}/type`)],
    [change(`${SCHEMA}/title`, 'changed', 'a', 'b'), []],
    [change(`${SCHEMA}/enum`, 'changed', ['a'], ['a', 'b']), allows(`${SCHEMA}/enum`)],
    [change(`${SCHEMA}/enum`, 'changed', ['a', 'b'], ['a']), []],
    [change('/inputSchema/required', 'changed', ['a', 'b'], ['a']), allows('/inputSchema/required')],
    [change('/inputSchema/required', 'changed', ['a'], ['a', 'b']), []],
  ])('%j', (one, expected) => {
    expect(notes({ changes: [one] })).toEqual(expected);
    expect(notes({ before: undefined, changes: [one] })).toEqual([]);
  });
});
