import { describe, expect, test } from 'vitest';
import { createInspection } from '../app/inspect-definition.ts';
import { toPeers } from '../catalog/pins/peers.ts';
import type { JsonObject } from '../core/json.ts';
import { lint } from '../lint/lint.ts';
import { mendTools } from '../lint/mend.ts';
import { nameOf, type Subject } from '../lint/rule.ts';
import { RULES } from '../lint/rules.ts';

const inspection = createInspection();

function subjectOf(tools: readonly JsonObject[]): Subject {
  const peers = toPeers('weather', tools);
  return {
    server: 'weather',
    tools,
    prompts: [],
    resources: [],
    instructions: undefined,
    scan: (definition) =>
      inspection.inspect({ server: 'weather', kind: 'tools', name: nameOf(definition), definition }, peers).findings,
  };
}

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  const isServerRule = /^(?:spec\/duplicate-name|names\/mixed-styles|overlap\/description|size\/server)$/.test(id);
  const groups = (examples: readonly JsonObject[]) => (isServerRule ? [examples] : examples.map((one) => [one]));

  test('finds nothing in what keeps it', () => {
    for (const tools of groups(rule.good)) expect([...rule.check(subjectOf(tools))]).toEqual([]);
  });

  test('finds what breaks it', () => {
    for (const tools of groups(rule.bad))
      expect([...rule.check(subjectOf(tools))].length, JSON.stringify(tools).slice(0, 300)).toBeGreaterThan(0);
  });

  test('finds nothing in what it has mended, and leaves alone what keeps it', () => {
    if (rule.mend === undefined) return;
    for (const tools of groups(rule.bad)) {
      const after = mendTools(tools).map((one) => one.after);
      if ([...rule.mend(tools[0] as JsonObject, new Set(tools.map(nameOf)))].length > 0)
        expect([...rule.check(subjectOf(after))], JSON.stringify(after)).toEqual([]);
    }
    for (const tool of rule.good) expect([...rule.mend(tool, new Set([nameOf(tool)]))]).toEqual([]);
  });

  test('says why and what to do', () => {
    expect(rule.good.length * rule.bad.length).toBeGreaterThan(0);
    for (const text of [rule.requires, rule.why, rule.fix]) expect(text.length).toBeGreaterThan(15);
  });
});

describe('suggestions', () => {
  const mend = (tool: object) => mendTools([tool as JsonObject])[0]!;
  const [good] = RULES[0]!.good as readonly [JsonObject];
  const parameters = (schema: JsonObject) => ({
    ...good,
    inputSchema: { type: 'object', additionalProperties: false, ...schema },
  });

  test.each([
    ['weather_get_map', 'Returns a map.', [true, false, true, true]],
    ['map', 'Lists what is on the map.', [true, false, true, true]],
    ['map', 'Lists what is on the map, then deletes it.', [false, true, false, true]],
    ['create_map', 'Makes a map.', [false, false, false, true]],
    ['create_map', 'Makes a map and overwrites the old one.', [false, true, false, true]],
    ['delete_map', 'Reads a map and forgets it.', [false, true, false, true]],
    ['map', 'A map.', [false, true, false, true]],
  ])('hints of %s, "%s"', (name, description, hints) => {
    const { after } = mend({ ...good, name, description, annotations: {} });
    expect(Object.values(after['annotations'] as JsonObject)).toEqual(hints);
    expect(Object.keys((after['_meta'] as JsonObject)['io.sallyport/suggested'] as JsonObject)).toHaveLength(4);
  });

  test('hints that are given stay, and the others agree with them', () => {
    const { after } = mend({ ...good, annotations: { readOnlyHint: true } });
    expect(after['annotations']).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    });
    expect(mend({ ...good, annotations: { destructiveHint: true } }).after['annotations']).toMatchObject({
      readOnlyHint: false,
    });
  });

  test('names are cut in the middle, and stay apart', () => {
    const name = `weather_${'middle_'.repeat(10)}forecast`;
    const [one, other] = mendTools([
      { ...good, name },
      { ...good, name: `${name.replace('middle', 'muddle')}` },
    ]);
    expect(nameOf(one!.after)).toMatch(/^weather_middle_.*forecast$/);
    expect(nameOf(one!.after).length).toBeLessThanOrEqual(64);
    expect(nameOf(other!.after)).not.toBe(nameOf(one!.after));
  });

  test('references are written out with their own description', () => {
    const { after } = mend(
      parameters({
        properties: {
          at: { $ref: '#/$defs/place', description: 'Where it starts' },
          to: { type: 'array', items: { $ref: '#/$defs/place' }, description: 'Stops' },
        },
        $defs: {
          place: { type: 'object', description: 'A place', properties: { city: { $ref: '#/$defs/name' } } },
          name: { type: 'string' },
        },
      }),
    );
    expect(after['inputSchema']).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: {
        at: { type: 'object', description: 'Where it starts', properties: { city: { type: 'string' } } },
        to: {
          type: 'array',
          description: 'Stops',
          items: { type: 'object', description: 'A place', properties: { city: { type: 'string' } } },
        },
      },
    });
  });

  test.each([
    [
      'recursive',
      {
        properties: { at: { $ref: '#/$defs/a', description: 'A' } },
        $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } } },
      },
    ],
    ['of the root', { properties: { at: { $ref: '#', description: 'A' } } }],
    ['external', { properties: { at: { $ref: 'https://a.example/b.json', description: 'A' } } }],
    ['without a target', { properties: { at: { $ref: '#/$defs/constructor', description: 'A' } }, $defs: {} }],
    [
      'with a rule beside them',
      { properties: { at: { $ref: '#/$defs/a', type: 'string', description: 'A' } }, $defs: { a: { type: 'number' } } },
    ],
    [
      'that grow without end',
      {
        properties: { at: { $ref: '#/$defs/d20', description: 'A' } },
        $defs: Object.fromEntries(
          Array.from({ length: 21 }, (_, i) => [
            `d${i}`,
            i === 0
              ? { type: 'string' }
              : { type: 'object', properties: { a: { $ref: `#/$defs/d${i - 1}` }, b: { $ref: `#/$defs/d${i - 1}` } } },
          ]),
        ),
      },
    ],
    ['that are values', { properties: { at: { type: 'object', description: 'A', default: { $ref: '#/$defs/a' } } } }],
  ])('references %s stay as they are', (_, schema) => {
    const tool = parameters(schema as JsonObject);
    expect(mend(tool).after).toEqual(tool);
  });

  test('types and defaults are taken from what the schema says', () => {
    const { after } = mend(
      parameters({
        properties: {
          __proto__: null,
          constructor: { description: 'A', minimum: 1 },
          list: { description: 'B', items: { type: 'string' } },
          flag: { description: 'C', default: false },
          torn: { description: 'D', pattern: '^a', minimum: 3 },
          count: { description: 'E', type: 'integer', default: '007' },
          any: { description: 'F', type: 'integer', default: 'many' },
        } as never,
      }),
    );
    expect((after['inputSchema'] as JsonObject)['properties']).toMatchObject({
      constructor: { type: 'number' },
      list: { type: 'array' },
      flag: { type: 'boolean', default: false },
      torn: { description: 'D', pattern: '^a', minimum: 3 },
      count: { default: 7 },
      any: { default: 'many' },
    });
  });

  test('a rule that is switched off mends nothing', () => {
    const tool = { ...good, title: undefined } as never;
    expect(mendTools([tool], (rule) => rule === 'descriptions/title-missing')[0]).toMatchObject({ changes: [] });
  });
});

describe('the report', () => {
  const [good] = RULES[0]!.good as readonly [JsonObject];

  test('a tool that keeps every rule has 100 points, and so has its server', () => {
    expect(lint(subjectOf([good]))).toMatchObject({ findings: [], score: 100, tools: [{ score: 100 }] });
  });

  test('an error costs more than a warning, and a rule that is off costs nothing', () => {
    const bad = { ...good, name: 'get weather', annotations: {} };
    const report = lint(subjectOf([bad]));
    expect(report.tools[0]?.score).toBe(100 - 30 - 8 - 2);
    expect(lint(subjectOf([bad]), (rule) => rule === 'spec/name-characters').tools[0]?.score).toBe(90);
  });

  test('one rule broken at many parameters counts three times at most', () => {
    const properties = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, { type: 'string' }]));
    const report = lint(
      subjectOf([{ ...good, inputSchema: { type: 'object', properties, additionalProperties: false } }]),
    );
    expect(report.findings.filter(({ rule }) => rule === 'descriptions/parameter-missing')).toHaveLength(10);
    expect(report.score).toBe(100 - 3 * 8);
  });
});
