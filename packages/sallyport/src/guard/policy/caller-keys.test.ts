import { beforeAll, describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../../test/sample-call.ts';
import type { Principal } from '../../core/principal.ts';
import { type CedarLibrary, loadCedar } from './cedar.ts';
import { compilePolicies } from './compile-policies.ts';
import { toPrincipalEntity, toToolFacts } from './entities.ts';
import { PolicyEngine } from './policy-engine.ts';
import { ACTIONS } from './schema.ts';

let cedar: CedarLibrary;
beforeAll(async () => {
  cedar = await loadCedar();
});

const clock = { now: () => 0 };
const engineOf = (text: string) =>
  new PolicyEngine(cedar, compilePolicies(cedar, [{ file: 'team.cedar', text }]), { clock });
const caller = (given: Partial<Principal>): Principal => ({ id: 'key:a', kind: 'key', groups: [], ...given });
const ALL = 'permit(principal, action, resource);\n';

describe('attacks: two callers whom a policy tells apart share nothing', () => {
  test.each<[string, string, Partial<Principal>, Partial<Principal>]>([
    ['a group in a scope', 'forbid(principal in Group::"guests", action, resource);', {}, { groups: ['guests'] }],
    [
      'a group in a condition',
      'forbid(principal, action, resource) when { principal in Group::"guests" };',
      {},
      { groups: ['guests'] },
    ],
    [
      'one of several groups',
      'forbid(principal, action, resource) when { principal in [Group::"a", Group::"b"] };',
      { groups: ['c'] },
      { groups: ['b'] },
    ],
    [
      'a group in a type test',
      'forbid(principal is Principal in Group::"guests", action, resource);',
      {},
      { groups: ['guests'] },
    ],
    ['its id in a scope', 'forbid(principal == Principal::"key:b", action, resource);', {}, { id: 'key:b' }],
    [
      'its id in a condition',
      'forbid(principal, action, resource) when { principal == Principal::"key:b" };',
      {},
      { id: 'key:b' },
    ],
    [
      'its id the other way round',
      'forbid(principal, action, resource) when { Principal::"key:b" == principal };',
      {},
      { id: 'key:b' },
    ],
    [
      'its id as an attribute',
      'forbid(principal, action, resource) when { principal.id like "key:b*" };',
      {},
      { id: 'key:b' },
    ],
    [
      'its id in a list',
      'forbid(principal, action, resource) when { [Principal::"key:b"].contains(principal) };',
      {},
      { id: 'key:b' },
    ],
    ['its kind', 'forbid(principal, action, resource) when { principal.kind == "oauth" };', {}, { kind: 'oauth' }],
    [
      'a scope',
      'forbid(principal, action, resource) unless { principal has scopes && principal.scopes.contains("write") };',
      { scopes: ['write'] },
      { scopes: ['read'] },
    ],
    [
      'that it has scopes at all',
      'forbid(principal, action, resource) when { principal has scopes };',
      {},
      { scopes: [] },
    ],
    [
      'a claim',
      'forbid(principal, action, resource) when { principal.hasTag("tenant") && principal.getTag("tenant") == "x" };',
      { attributes: { tenant: 'y' } },
      { attributes: { tenant: 'x' } },
    ],
    [
      'that it has a claim',
      'forbid(principal, action, resource) when { principal.hasTag("trial") };',
      {},
      { attributes: { trial: 'yes' } },
    ],
    [
      'the person',
      'forbid(principal, action, resource) when { principal has person && principal.person == "eve" };',
      { person: 'ada' },
      { person: 'eve' },
    ],
    [
      'who acts for it',
      'forbid(principal, action, resource) when { principal.actors.contains("bot") };',
      {},
      { actors: ['bot'] },
    ],
    [
      'inside a choice',
      'forbid(principal, action, resource) when { (if principal.kind == "key" then principal in Group::"g" else true) };',
      {},
      { groups: ['g'] },
    ],
  ])('%s', (_, text, free, bound) => {
    const engine = engineOf(ALL + text);
    const [one, other] = [caller(free), caller(bound)];
    expect(engine.keyOf(one)).not.toBe(engine.keyOf(other));
    const tool = toTool({ name: 't' });
    // In this order what is kept of the first is there when the second asks.
    expect([engine.maySee(one, tool), engine.maySee(other, tool)]).toEqual([true, false]);
  });
});

describe('harmless: callers whom no policy tells apart share what was decided', () => {
  const text = `${ALL}forbid(principal in Group::"guests", action, resource) when { principal.kind == "oauth" };`;
  test.each<[string, Partial<Principal>]>([
    ['another id', { id: 'key:b' }],
    ['another group', { groups: ['readers'] }],
    ['another person, scopes and claims', { person: 'ada', scopes: ['x'], attributes: { tenant: 'y' } }],
    ['a token that ends later', { expiresAt: 5 }],
  ])('%s', (_, given) => {
    const engine = engineOf(text);
    expect(engine.keyOf(caller(given))).toBe(engine.keyOf(caller({})));
  });
});

/** Every mixture of who, what and when, permits and forbids. */
const MIXED = ['permit', 'forbid'].flatMap((effect) =>
  ['principal', 'principal in Group::"g"', 'principal == Principal::"key:b"'].flatMap((who) =>
    ['resource', 'resource in Server::"s"', 'resource == Tool::"s/t"'].flatMap((what) =>
      ['true', 'resource.readOnly', 'resource.name like "t*"', 'context.labels.contains("secret")'].map(
        (when) => `${effect}(${who}, action == Action::"call", ${what}) when { ${when} };`,
      ),
    ),
  ),
);

test('decided in parts it comes to the same as all policies together', () => {
  let seed = 11;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 15; round++) {
    const chosen = Array.from({ length: 1 + random(5) }, () => MIXED[random(MIXED.length)] ?? '');
    const text = [...new Set(chosen)].map((policy, i) => `@id("p${i}") ${policy}`).join('\n');
    const labels = random(2) === 0 ? ['secret'] : [];
    const compiled = compilePolicies(cedar, [{ file: 'team.cedar', text }]);
    const engine = new PolicyEngine(cedar, compiled, { clock, labelsOf: () => labels });
    for (const principal of [caller({}), caller({ id: 'key:b' }), caller({ groups: ['g'] })]) {
      for (const tool of [toTool({ name: 't' }, { upstream: 's' }), toTool({ name: 'u' }, { upstream: 's' })]) {
        const call = toCall({ tool });
        const decision = engine.decide('call', { ...call, client: { ...call.client, principal } });
        const facts = toToolFacts(tool);
        const answer = cedar.isAuthorized({
          principal: toPrincipalEntity(principal).uid,
          action: { type: 'Action', id: 'call' },
          resource: facts.entity.uid,
          context: { labels },
          policies: { staticPolicies: Object.fromEntries(compiled.policies.map((one) => [one.id, one.text])) },
          entities: [
            toPrincipalEntity(principal),
            facts.entity,
            ...ACTIONS.map((id) => ({
              uid: { type: 'Action', id },
              attrs: {},
              parents: [{ type: 'Action', id: 'use' }],
            })),
          ],
        });
        if (answer.type !== 'success') throw new Error('Cedar refused');
        expect(
          { effect: decision.effect, policies: decision.policies },
          `${text} ${principal.id} ${tool.name}`,
        ).toEqual({
          effect: answer.response.decision,
          policies: [...answer.response.diagnostics.reason].sort(),
        });
      }
    }
  }
});

test('what is decided for thousands of tools is kept, also for callers who are alike', () => {
  let asked = 0;
  const counting: CedarLibrary = {
    ...cedar,
    statefulIsAuthorized(request) {
      asked += 1;
      return cedar.statefulIsAuthorized(request);
    },
  };
  const text = `${ALL}forbid(principal, action, resource) when { resource.name == "tool_7" };`;
  const policies = compilePolicies(cedar, [{ file: 'team.cedar', text }]);
  const engine = new PolicyEngine(counting, policies, { clock });
  const tools = Array.from({ length: 2_500 }, (_, i) => toTool({ name: `tool_${i}` }));
  const seenBy = (given: Partial<Principal>) => tools.filter((tool) => engine.maySee(caller(given), tool)).length;
  expect(seenBy({})).toBe(2_499);
  const first = asked;
  expect([seenBy({}), seenBy({ id: 'key:b', groups: ['readers'] })]).toEqual([2_499, 2_499]);
  expect(asked).toBe(first);
});
