import { describe, expect, test } from 'vitest';
import { createInspection } from '../app/inspect-definition.ts';
import { toPeers } from '../catalog/pins/peers.ts';
import type { JsonObject } from '../core/json.ts';
import { lint } from '../lint/lint.ts';
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

  test('says why and what to do', () => {
    expect(rule.good.length * rule.bad.length).toBeGreaterThan(0);
    for (const text of [rule.requires, rule.why, rule.fix]) expect(text.length).toBeGreaterThan(15);
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
    const report = lint(subjectOf([{ ...good, inputSchema: { type: 'object', properties } }]));
    expect(report.findings.filter(({ rule }) => rule === 'descriptions/parameter-missing')).toHaveLength(10);
    expect(report.score).toBe(100 - 3 * 8);
  });
});
