import { beforeAll, describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../../test/sample-call.ts';
import type { StarterSet } from '../../config/policy-section.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Principal } from '../../core/principal.ts';
import type { SinkClass } from '../../core/sink.ts';
import { type CedarLibrary, loadCedar } from './cedar.ts';
import { compilePolicies } from './compile-policies.ts';
import { PolicyEngine } from './policy-engine.ts';
import { toStarterSource } from './starter-sets.ts';

let cedar: CedarLibrary;
beforeAll(async () => {
  cedar = await loadCedar();
});

const principal = (groups: readonly string[], given: Partial<Principal> = {}): Principal => ({
  id: 'key:k1',
  kind: 'key',
  groups,
  ...given,
});
/** A Thursday, half past two in the afternoon where the test runs. */
const AFTERNOON = new Date(2026, 0, 8, 14, 30).getTime();
const clock = { now: () => AFTERNOON };
const bankPay = (given: { sinks?: SinkClass[]; hints?: JsonObject } = {}) =>
  toTool({ name: 'pay' }, { upstream: 'bank', sinks: given.sinks ?? ['pay'], approvedHints: given.hints ?? {} });

function engineOf(text: string): PolicyEngine {
  return new PolicyEngine(cedar, compilePolicies(cedar, [{ file: 'team.cedar', text }]), { clock });
}

function decide(
  text: string,
  given: { as?: Principal; tool?: ReturnType<typeof toTool>; args?: JsonObject; action?: 'call' | 'release' } = {},
) {
  const call = toCall({ tool: given.tool ?? bankPay(), body: given.args ?? {} });
  return engineOf(text).decide(given.action ?? 'call', {
    ...call,
    client: { ...call.client, principal: given.as ?? principal(['dev']) },
  });
}

const ALL = '@id("all") permit(principal, action, resource);\n';
const AMOUNT = `${ALL}@id("limit") @reason("Payments over 100 need the finance team.")
forbid(principal, action == Action::"call", resource in Server::"bank")
when { context.arguments has amount && context.arguments.amount > 100 };`;
const TENANT = `${ALL}@id("tenant") forbid(principal, action == Action::"call", resource)
unless { context.arguments has tenant && principal.hasTag("tenant") && context.arguments.tenant == principal.getTag("tenant") };`;
const CODES = `${ALL}@id("prod") forbid(principal, action == Action::"call", resource)
when { context.arguments has env && ["prod", "staging"].contains(context.arguments.env) };`;
const PRICE = `${ALL}@id("price") forbid(principal, action == Action::"call", resource)
when { context.arguments has price && context.arguments.price.greaterThan(decimal("100.0")) };`;
const NESTED = `${ALL}@id("deep") forbid(principal, action == Action::"call", resource)
when { context.arguments has to.address && context.arguments.to.address like "*@evil.test" };`;
const LISTED = `${ALL}@id("listed") forbid(principal, action == Action::"call", resource)
when { context.arguments has paths && context.arguments.paths.contains("/etc/passwd") };`;

describe('attacks', () => {
  test.each<[string, Parameters<typeof decide>, RegExp]>([
    ['nothing permits', [''], /^No policy permits the tool "pay" for this caller\. Use another one, or ask/],
    ['a group it is not in', ['permit(principal in Group::"finance", action, resource);'], /^No policy permits/],
    [
      'a forbid beats every permit',
      [`${ALL}@id("no") forbid(principal, action, resource in Server::"bank");`],
      /^The policy no forbids it\.$/,
    ],
    ['an amount over the limit', [AMOUNT, { args: { amount: 101 } }], /^Payments over 100 need the finance team\.$/],
    [
      'an amount as text',
      [AMOUNT, { args: { amount: '101' } }],
      /the argument amount is not a whole number, which a policy reads/,
    ],
    ['an amount in a list', [AMOUNT, { args: { amount: [101] } }], /the argument amount is not a whole number/],
    ['an amount with a fraction', [AMOUNT, { args: { amount: 100.5 } }], /the argument amount is not a whole number/],
    ['an amount beyond 2^53', [AMOUNT, { args: { amount: 1e300 } }], /the argument amount is not a whole number/],
    [
      'another tenant',
      [TENANT, { args: { tenant: 'b' }, as: principal([], { attributes: { tenant: 'a' } }) }],
      /tenant forbids/,
    ],
    ['no tenant given', [TENANT, { as: principal([], { attributes: { tenant: 'a' } }) }], /tenant forbids/],
    ['a caller without a tenant', [TENANT, { args: { tenant: 'a' } }], /tenant forbids/],
    ['one of a list of values', [CODES, { args: { env: 'prod' } }], /prod forbids/],
    ['a name that a server may take for another', [CODES, { args: { ENV: 'prod' } }], /the argument ENV can be taken/],
    ['both names', [CODES, { args: { env: 'test', Env: 'prod' } }], /the argument Env can be taken/],
    ['a wide name', [CODES, { args: { ｅnv: 'prod' } }], /can be taken/],
    ['deep inside, another name', [NESTED, { args: { to: { Address: 'a@evil.test' } } }], /the argument to\.Address/],
    ['a text too long to be judged', [CODES, { args: { env: 'x'.repeat(300_000) } }], /env is too long to be judged/],
    [
      'a list too long to be judged',
      [LISTED, { args: { paths: Array.from({ length: 2_000 }, () => 'a') } }],
      /paths is too long to be judged/,
    ],
    ['the value hidden in a list', [CODES, { args: { env: ['prod'] } }], /the argument env is not a text/],
    ['a price over the limit', [PRICE, { args: { price: 100.01 } }], /price forbids/],
    [
      'a price too fine to compare',
      [PRICE, { args: { price: 100.000001 } }],
      /the argument price is not a decimal number/,
    ],
    ['deep inside', [NESTED, { args: { to: { address: 'a@evil.test' } } }], /deep forbids/],
    ['an object replaced by a text', [NESTED, { args: { to: 'a@evil.test' } }], /the argument to is not an object/],
    ['in a list of texts', [LISTED, { args: { paths: ['/tmp/a', '/etc/passwd'] } }], /listed forbids/],
    ['a text for the list', [LISTED, { args: { paths: '/etc/passwd' } }], /the argument paths is not a list of texts/],
    [
      'an inherited member',
      [`${ALL}forbid(principal, action == Action::"call", resource) unless { context.arguments has constructor };`],
      /forbids/,
    ],
    [
      'an own __proto__',
      [
        `${ALL}@id("p") forbid(principal, action == Action::"call", resource) when { context.arguments has "__proto__" };`,
        { args: JSON.parse('{"__proto__":1}') },
      ],
      /p forbids/,
    ],
    [
      'a number that overflows',
      [
        `${ALL}@id("sum") forbid(principal, action == Action::"call", resource) when { context.arguments has n && context.arguments.n * 9223372036854775807 > 100 };`,
        { args: { n: 3 } },
      ],
      /the policy sum could not be evaluated/,
    ],
    [
      'the hours of the night',
      [
        `permit(principal, action in [Action::"list"], resource); permit(principal, action == Action::"call", resource) when { context.time.hour < 6 };`,
      ],
      /^No policy permits/,
    ],
    [
      'a hint the server gave itself',
      [
        'permit(principal, action, resource) when { resource.readOnly };',
        { tool: toTool({ name: 'pay', annotations: { readOnlyHint: true } }, { upstream: 'bank' }) },
      ],
      /^No policy permits/,
    ],
    [
      'an effect',
      [`${ALL}@id("pay") forbid(principal, action, resource) when { resource.sinks.contains(Sink::"pay") };`],
      /pay forbids/,
    ],
    [
      'a scope it lacks',
      [
        'permit(principal, action, resource) when { principal has scopes && principal.scopes.contains("pay") };',
        { as: principal([], { scopes: ['read'] }) },
      ],
      /^No policy permits/,
    ],
    [
      'a result that is forbidden',
      [`${ALL}@id("hold") forbid(principal, action == Action::"release", resource);`, { action: 'release' }],
      /hold forbids/,
    ],
    [
      'what two policies forbid, one without a full stop,',
      [
        `${ALL}@reason("Archive it") forbid(principal, action, resource);@reason("Ask.") forbid(principal, action, resource);`,
      ],
      /^(?:Archive it\. Ask\.|Ask\. Archive it)$/,
    ],
  ])('%s is denied', (_, given, reason) => {
    const decision = decide(...given);
    expect(decision).toMatchObject({ effect: 'deny', reason: expect.stringMatching(reason) });
  });

  test('ask wins over a plain permit', () => {
    const text = `${ALL}@id("big") @ask("More than 100.") permit(principal, action == Action::"call", resource) when { context.arguments has amount && context.arguments.amount > 100 };`;
    expect(decide(text, { args: { amount: 101 } })).toMatchObject({
      effect: 'ask',
      reason: 'More than 100.',
      policies: ['big'],
    });
    expect(decide(text, { args: { amount: 100 } })).toMatchObject({ effect: 'allow', policies: ['all'] });
  });
});

describe('harmless calls', () => {
  test.each<[string, Parameters<typeof decide>]>([
    ['permitted to all', [ALL]],
    ['by group', ['permit(principal in Group::"dev", action in Action::"use", resource);']],
    ['by name', ['permit(principal, action, resource == Tool::"bank/pay");']],
    ['by server', ['permit(principal, action, resource in Server::"bank");']],
    ['a forbid about another server', [`${ALL}forbid(principal, action, resource in Server::"shop");`]],
    ['an amount within the limit', [AMOUNT, { args: { amount: 100 } }]],
    [
      'an argument that only a policy about another tool reads',
      [
        `${ALL}forbid(principal, action == Action::"call", resource == Tool::"bank/transfer") when { context.arguments has amount && context.arguments.amount > 100 };`,
        { args: { amount: 'as much as you like' } },
      ],
    ],
    ['no amount', [AMOUNT]],
    ['no amount, said with null', [AMOUNT, { args: { amount: null } }]],
    ['a fraction no policy reads', [AMOUNT, { args: { amount: 1, temperature: 0.7, deep: { x: [1.5, null] } } }]],
    [
      'the caller’s own tenant',
      [TENANT, { args: { tenant: 'a' }, as: principal([], { attributes: { tenant: 'a' } }) }],
    ],
    ['other names in any case', [CODES, { args: { env: 'test', Environment: 'x', environment: 'y' } }]],
    ['a value not on the list', [CODES, { args: { env: 'test' } }]],
    ['a whole price', [PRICE, { args: { price: 100 } }]],
    ['a price with cents', [PRICE, { args: { price: 99.99 } }]],
    ['an honest address', [NESTED, { args: { to: { address: 'a@good.test', name: 1 } } }]],
    ['many honest paths', [LISTED, { args: { paths: Array.from({ length: 900 }, (_, n) => `/tmp/${n}`) } }]],
    ['a long text', [CODES, { args: { env: 'x'.repeat(200_000) } }]],
    ['honest paths', [LISTED, { args: { paths: ['/tmp/a'] } }]],
    [
      'the afternoon',
      [
        'permit(principal, action == Action::"call", resource) when { context.time.hour == 14 && context.time.weekday == "thu" };',
      ],
    ],
    [
      'an approved hint',
      [
        'permit(principal, action, resource) when { resource.readOnly };',
        { tool: bankPay({ hints: { readOnlyHint: true } }) },
      ],
    ],
    [
      'a scope it has',
      [
        'permit(principal, action, resource) when { principal has scopes && principal.scopes.contains("pay") };',
        { as: principal([], { scopes: ['pay'] }) },
      ],
    ],
    [
      'a result nobody forbids',
      [
        'permit(principal, action == Action::"call", resource);forbid(principal, action == Action::"release", resource in Server::"shop");',
        { action: 'release' },
      ],
    ],
  ])('%s', (_, given) => {
    expect(decide(...given)).toMatchObject({ effect: 'allow', reason: '' });
  });
});

describe('circumstances', () => {
  const inOffice = `${ALL}forbid(principal, action == Action::"call", resource) unless { context.time.hour >= 9 && context.time.hour < 17 && !["sat", "sun"].contains(context.time.weekday) };`;
  const until2030 = `${ALL}forbid(principal, action == Action::"call", resource) when { context.time.instant >= datetime("2030-01-01T00:00:00Z") };`;
  const noSecrets = `${ALL}forbid(principal, action == Action::"call", resource) when { resource.sinks.contains(Sink::"pay") && context.labels.contains("secret") };`;
  const noRobots = `${ALL}forbid(principal, action == Action::"call", resource) when { context.client.name like "robot*" };`;
  const local = (day: number, hour: number, minute = 0) => new Date(2026, 0, day, hour, minute).getTime();
  interface Given {
    at?: number;
    labels?: readonly string[];
    client?: string;
  }
  test.each<[string, string, Given, 'allow' | 'deny']>([
    ['Thursday afternoon', inOffice, { at: AFTERNOON }, 'allow'],
    ['Thursday at nine', inOffice, { at: local(8, 9) }, 'allow'],
    ['a minute before nine', inOffice, { at: local(8, 8, 59) }, 'deny'],
    ['Thursday at five', inOffice, { at: local(8, 17) }, 'deny'],
    ['Saturday noon', inOffice, { at: local(10, 12) }, 'deny'],
    ['Sunday noon', inOffice, { at: local(11, 12) }, 'deny'],
    ['Monday noon', inOffice, { at: local(12, 12) }, 'allow'],
    ['the last millisecond, in UTC', until2030, { at: Date.UTC(2030, 0, 1) - 1 }, 'allow'],
    ['the first one after it', until2030, { at: Date.UTC(2030, 0, 1) }, 'deny'],
    ['no labels', noSecrets, {}, 'allow'],
    ['another label', noSecrets, { labels: ['public'] }, 'allow'],
    ['the label', noSecrets, { labels: ['public', 'secret'] }, 'deny'],
    ['a client by its name', noRobots, { client: 'robot-7' }, 'deny'],
    ['another client', noRobots, { client: 'desktop' }, 'allow'],
  ])('%s', (_, text, { at = AFTERNOON, labels = [], client = 'test' }, effect) => {
    const compiled = compilePolicies(cedar, [{ file: 'p.cedar', text }]);
    const engine = new PolicyEngine(cedar, compiled, { clock: { now: () => at }, labelsOf: () => labels });
    const call = toCall({ tool: bankPay() });
    const from = { ...call, client: { ...call.client, info: { name: client, version: '1' } } };
    expect(engine.decide('call', from).effect).toBe(effect);
    // What depends on the call hides nothing.
    expect(engine.maySee(call.client.principal, call.tool)).toBe(true);
  });

  test('what arguments cannot change is told without them', () => {
    const told = (text: string) => engineOf(text).decideWithoutArguments(toCall({ tool: bankPay() }))?.effect;
    expect(told(ALL)).toBe('allow');
    expect(told(AMOUNT)).toBeUndefined();
    expect(told(`${AMOUNT}forbid(principal, action, resource);`)).toBe('deny');
    expect(told(inOffice)).toBe('allow');
    expect(
      told('permit(principal, action == Action::"call", resource) when { context.arguments has a };'),
    ).toBeUndefined();
    expect(told(`${AMOUNT.replace(ALL, '')} permit(principal in Group::"nobody", action, resource);`)).toBe('deny');
  });
});

describe('what a caller sees', () => {
  const sees = (text: string, as: Principal, tool = bankPay()) => engineOf(text).maySee(as, tool);
  test.each<[string, string, boolean]>([
    ['what is permitted', ALL, true],
    ['what nothing permits', '', false],
    ['what is hidden', `${ALL}forbid(principal, action == Action::"list", resource);`, false],
    ['what is always denied', `${ALL}forbid(principal, action == Action::"call", resource);`, false],
    ['what is denied for some arguments', AMOUNT, true],
    [
      'what only some arguments make permitted',
      `permit(principal, action == Action::"list", resource); permit(principal, action == Action::"call", resource) when { context.arguments has a };`,
      true,
    ],
    ['what may be found and never called', 'permit(principal, action == Action::"list", resource);', false],
  ])('%s', (_, text, expected) => expect(sees(text, principal(['dev']))).toBe(expected));

  test('two groups see different tools', () => {
    const text = 'permit(principal in Group::"finance", action, resource in Server::"bank");';
    const engine = engineOf(text);
    expect(engine.maySee(principal(['finance']), bankPay())).toBe(true);
    expect(engine.maySee(principal(['dev']), bankPay())).toBe(false);
  });
});

describe('starter sets', () => {
  const open = principal([], { id: 'anyone', kind: 'open' });
  const read = bankPay({ sinks: [], hints: { readOnlyHint: true } });
  const write = bankPay({ sinks: [] });
  const pay = bankPay();
  test.each<[StarterSet, string, Principal, ReturnType<typeof bankPay>, string]>([
    ['laptop', 'the owner pays', principal(['admin']), pay, 'allow'],
    ['laptop', 'a stranger writes', open, write, 'allow'],
    ['laptop', 'a stranger pays', open, pay, 'deny'],
    ['team', 'anyone known reads', principal([]), read, 'allow'],
    ['team', 'anyone known writes', principal([]), write, 'deny'],
    ['team', 'a writer writes', principal(['writers']), write, 'allow'],
    ['team', 'a writer pays', principal(['writers']), pay, 'ask'],
    ['team', 'someone who may not write pays', principal([]), pay, 'deny'],
    ['team', 'an admin writes', principal(['admin']), write, 'allow'],
    ['team', 'a stranger reads', open, read, 'allow'],
    ['team', 'a stranger writes', principal(['writers'], { kind: 'open' }), write, 'deny'],
    ['locked', 'an admin reads', principal(['admin']), read, 'deny'],
  ])('%s: %s', (set, _, as, tool, effect) => {
    const engine = new PolicyEngine(cedar, compilePolicies(cedar, [toStarterSource(set)]), { clock });
    const call = toCall({ tool });
    const decision = engine.decide('call', { ...call, client: { ...call.client, principal: as } });
    expect(decision.effect).toBe(effect);
    expect(engine.maySee(as, tool)).toBe(effect !== 'deny');
  });
});
