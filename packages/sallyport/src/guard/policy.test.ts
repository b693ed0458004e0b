import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { toCall, toResult, toTool } from '../../test/sample-call.ts';
import type { Offer } from '../core/access.ts';
import type { CallNotes } from '../core/call.ts';
import type { Envelope } from '../core/envelope.ts';
import type { JsonObject } from '../core/json.ts';
import type { Principal } from '../core/principal.ts';
import { inspect, needsReading } from './guard.ts';
import { type CedarLibrary, loadCedar } from './policy/cedar.ts';
import { compilePolicies } from './policy/compile-policies.ts';
import { PolicyEngine } from './policy/policy-engine.ts';
import { type PolicyPorts, policy, policyAccess, policyOffers, type Tried } from './policy.ts';
import { findSinks } from './sinks/sink-floor.ts';

let cedar: CedarLibrary;
beforeAll(async () => {
  cedar = await loadCedar();
});

const clock = { now: () => 1_700_000_000_000 };
const ALL = '@id("all") permit(principal, action, resource);\n';
const LIMIT = `${ALL}@id("limit") forbid(principal, action == Action::"call", resource)
when { context.arguments has amount && context.arguments.amount > 100 };`;

/** Cedar, counting its evaluations and broken on demand. */
function countingCedar(breakage?: 'throws' | 'fails' | 'errs') {
  let count = 0;
  const library: CedarLibrary = {
    ...cedar,
    statefulIsAuthorized(call) {
      count++;
      if (breakage === 'throws') throw new Error('unreachable executed');
      if (breakage === 'fails') return { type: 'failure', errors: [], warnings: [] };
      const answer = cedar.statefulIsAuthorized(call);
      if (breakage === 'errs' && answer.type === 'success')
        answer.response.diagnostics.errors.push({
          policyId: 'all',
          error: { message: '', help: null, code: null, url: null, severity: null },
        });
      return answer;
    },
  };
  return { library, count: () => count };
}

function engineOf(text: string, library: CedarLibrary = cedar) {
  return new PolicyEngine(library, compilePolicies(cedar, [{ file: 'p.cedar', text }]), { clock });
}

function guardOf(engine: PolicyEngine | undefined, mode: 'enforce' | 'shadow' = 'enforce', candidate?: PolicyEngine) {
  const tried: Tried[] = [];
  const notes = toNotes();
  const ports: PolicyPorts = {
    engine: () => engine,
    mode: () => mode,
    candidate: () => candidate,
    onTried: (_, one) => tried.push(one),
  };
  return {
    guard: policy(ports),
    offers: policyOffers(ports),
    access: policyAccess({ engine: () => engine, mode: () => mode }, () => 1),
    tried,
    notes,
  };
}

function toNotes(): CallNotes {
  return { policy: undefined, release: undefined, candidate: undefined, isEnforced: true, standing: undefined };
}

const tool = toTool({ name: 'pay' }, { upstream: 'bank', sinks: ['pay'] });
const SECRET: Offer = { kind: 'resource', upstream: 'docs', id: 'file:///secret' };
const GREETING: Offer = { kind: 'prompt', upstream: 'docs', id: 'greet' };
const callOf = (args: JsonObject, given: Partial<Envelope> = {}) => toCall({ tool, body: args, ...given });
const as = (principal: Principal): Partial<Envelope> => ({ client: { ...toCall().client, principal } });

describe('fails closed', () => {
  test.each(['throws', 'fails', 'errs'] as const)(
    'whatever is asked, an evaluator that %s denies and hides',
    (breakage) => {
      const { library } = countingCedar(breakage);
      fc.assert(
        fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(ALL, LIMIT), (args, text) => {
          const engine = engineOf(text, library);
          const { guard } = guardOf(engine);
          const call = callOf(args as JsonObject);
          expect(inspect([guard], call)).toMatchObject({ verdict: { kind: 'deny', code: 'denied' } });
          const access = policyAccess({ engine: () => engine, mode: () => 'enforce' }, () => 1);
          let seen = false;
          try {
            seen = access.mayUse(call.client.principal, { kind: 'all' }, tool);
          } catch {
            // Whoever asks for the list gets an error then, and no tool.
          }
          expect(seen).toBe(false);
        }),
        { numRuns: 50 },
      );
    },
  );

  test('any value but a whole number where a policy reads one is denied, and every whole number is judged', () => {
    const { guard } = guardOf(engineOf(LIMIT));
    fc.assert(
      fc.property(fc.jsonValue(), (amount) => {
        const decision = inspect([guard], callOf({ amount: amount as never }));
        const isFine = amount === null || (Number.isSafeInteger(amount) && (amount as number) <= 100);
        expect(decision).toMatchObject({ verdict: { kind: isFine ? 'allow' : 'deny' } });
      }),
      { numRuns: 200 },
    );
  });

  test('arguments no policy reads change nothing', () => {
    const { guard } = guardOf(engineOf(LIMIT));
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((name) => name !== 'amount'),
          fc.jsonValue(),
        ),
        (args) => {
          expect(inspect([guard], callOf(args as JsonObject))).toMatchObject({ verdict: { kind: 'allow' } });
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('what is kept', () => {
  test('a decision that does not depend on the call is made once, also for another token of the same caller', () => {
    const { library, count } = countingCedar();
    const engine = engineOf(
      `${ALL}forbid(principal, action, resource) when { principal in Group::"guests" || principal in Group::"ops" };
      permit(principal, action, resource) when { principal.hasTag("tenant") };
      permit(principal, action, resource) when { principal has scopes };`,
      library,
    );
    const caller: Principal = { id: 'key:1', kind: 'key', groups: ['dev'] };
    for (let i = 0; i < 5; i++) engine.decide('call', callOf({ i }, as(i % 2 === 0 ? caller : { ...caller })));
    expect(count()).toBe(1);
    // Nor for somebody who differs in what no policy reads.
    engine.decide('call', callOf({}, as({ ...caller, id: 'key:2', person: 'ada', groups: ['readers'] })));
    expect(count()).toBe(1);
    // Nothing is shared with whoever differs in what one reads.
    engine.decide('call', callOf({}, as({ ...caller, groups: ['dev', 'ops'] })));
    engine.decide('call', callOf({}, as({ ...caller, attributes: { tenant: 'a' } })));
    engine.decide('call', callOf({}, as({ ...caller, scopes: [] })));
    expect(count()).toBe(4);
    // Nor with a tool whose hints or effects differ.
    engine.decide('call', callOf({}, { ...as(caller), tool: { ...tool, sinks: [] } }));
    engine.decide('call', callOf({}, { ...as(caller), tool: { ...tool, approvedHints: { readOnlyHint: true } } }));
    engine.decide('call', callOf({}, { ...as(caller), tool: { ...tool, upstream: 'shop' } }));
    expect(count()).toBe(7);
    // Equal tools of a server are one decision as long as no policy tells them apart by name.
    engine.decide('call', callOf({}, { ...as(caller), tool: { ...tool, name: 'refund' } }));
    expect(count()).toBe(7);
  });

  test('policies that name a tool tell tools apart', () => {
    const engine = engineOf(`${ALL}forbid(principal, action, resource == Tool::"bank/pay");`);
    expect(engine.decide('call', callOf({})).effect).toBe('deny');
    expect(engine.decide('call', callOf({}, { tool: { ...tool, name: 'refund' } })).effect).toBe('allow');
    const byName = engineOf(`${ALL}forbid(principal, action, resource) when { resource.name like "pay*" };`);
    expect(byName.decide('call', callOf({})).effect).toBe('deny');
    expect(byName.decide('call', callOf({}, { tool: { ...tool, name: 'refund' } })).effect).toBe('allow');
  });

  test('policies that read arguments are asked each time, those of other servers are not', () => {
    const { library, count } = countingCedar();
    const engine = engineOf(LIMIT.replace('"call", resource)', '"call", resource in Server::"shop")'), library);
    for (let i = 0; i < 5; i++) engine.decide('call', callOf({ amount: 500 }));
    expect(count()).toBe(1);
    for (const amount of [1, 101, 1])
      expect(engine.decide('call', callOf({ amount }, { tool: { ...tool, upstream: 'shop' } })).effect).toBe(
        amount > 100 ? 'deny' : 'allow',
      );
    // Once what does not depend on the call, and three times what does.
    expect(count()).toBe(5);
  });

  test('other policies know nothing of what was decided', () => {
    const { principal } = callOf({}).client;
    for (const text of [`${ALL}forbid(principal, action, resource in Server::"bank");`, LIMIT, '', ALL]) {
      const engine = engineOf(text);
      const expected = text === ALL || text === LIMIT;
      expect(engine.decide('call', callOf({})).effect).toBe(expected ? 'allow' : 'deny');
      expect(engine.maySee(principal, tool)).toBe(expected);
    }
  });

  test('two engines do not hear each other', () => {
    const open = engineOf(ALL);
    const shut = engineOf('');
    expect([open, shut, open].map((engine) => engine.decide('call', callOf({})).effect)).toEqual([
      'allow',
      'deny',
      'allow',
    ]);
  });
});

describe('the guard', () => {
  test('without policies everything is permitted and no result is read', () => {
    const { guard, notes, access } = guardOf(undefined);
    expect(inspect([guard], callOf({}, { notes }))).toMatchObject({ verdict: { kind: 'allow' } });
    expect(guard.isOn?.(callOf({}).snapshot)).toBe(false);
    expect(notes).toEqual(toNotes());
    expect(access.version()).toBeUndefined();
  });

  test('a result is read only where a policy speaks of results', () => {
    const { guard } = guardOf(
      engineOf(`${ALL}forbid(principal, action == Action::"release", resource in Server::"bank");`),
    );
    expect(needsReading([guard], callOf({}))).toBe(true);
    expect(needsReading([guard], callOf({}, { tool: { ...tool, upstream: 'shop' } }))).toBe(false);
    expect(inspect([guard], toResult(callOf({}), {}))).toMatchObject({ verdict: { kind: 'deny' } });
  });

  test('ask carries the effects', () => {
    const { guard } = guardOf(engineOf(`${ALL}@ask("Sure?") permit(principal, action == Action::"call", resource);`));
    expect(inspect([guard], callOf({}))).toMatchObject({
      verdict: { kind: 'ask', reason: 'Sure?', classes: ['pay'] },
    });
  });

  test('shadow mode lets through, hides nothing and notes what it would have done', () => {
    const { guard, notes, tried, access } = guardOf(engineOf(''), 'shadow');
    expect(inspect([guard], callOf({}, { notes }))).toMatchObject({ verdict: { kind: 'allow' } });
    expect(notes).toMatchObject({ isEnforced: false, policy: { effect: 'deny' } });
    expect(tried).toMatchObject([{ by: 'shadow', instead: 'allow', upstream: 'bank', target: 'pay' }]);
    const { principal } = callOf({}).client;
    expect(access.mayUse(principal, { kind: 'all' }, tool)).toBe(true);
    expect(access.mayReach?.(principal, SECRET)).toBe(true);
  });

  test('shadow mode stops nothing even when the evaluator throws', () => {
    const { guard, notes } = guardOf(engineOf(ALL, countingCedar('throws').library), 'shadow');
    expect(inspect([guard], callOf({}, { notes }))).toMatchObject({ verdict: { kind: 'allow' } });
    expect(notes).toMatchObject({ isEnforced: false, policy: { effect: 'deny' } });
  });

  test('candidates stop nothing and are noted, also when they fail', () => {
    for (const candidate of [engineOf(''), engineOf(ALL, countingCedar('throws').library)]) {
      const { guard, notes, tried } = guardOf(engineOf(ALL), 'enforce', candidate);
      expect(inspect([guard], callOf({}, { notes }))).toMatchObject({ verdict: { kind: 'allow' } });
      expect(notes).toMatchObject({ policy: { effect: 'allow', policies: ['all'] }, candidate: { effect: 'deny' } });
      expect(tried).toMatchObject([{ by: 'candidate', instead: 'allow', decision: { effect: 'deny' } }]);
    }
  });

  test('a candidate that permits lets nothing through', () => {
    const { guard, tried } = guardOf(engineOf(''), 'enforce', engineOf(ALL));
    expect(inspect([guard], callOf({}))).toMatchObject({ verdict: { kind: 'deny' } });
    expect(tried).toMatchObject([{ by: 'candidate', instead: 'deny', decision: { effect: 'allow' } }]);
  });

  test('an effect that only the arguments tell of counts, where policies speak of effects', () => {
    const text = `${ALL}forbid(principal, action == Action::"call", resource) when { resource.sinks.contains(Sink::"delete") };`;
    const compiled = compilePolicies(cedar, [{ file: 'p.cedar', text }]);
    const engine = new PolicyEngine(cedar, compiled, { clock, sinksOf: (call) => findSinks(call, undefined) });
    const plain = toTool({ name: 'query', description: 'Runs a query.' }, { upstream: 'db' });
    expect(engine.decide('call', callOf({ sql: 'select 1' }, { tool: plain })).effect).toBe('allow');
    expect(engine.decide('call', callOf({ sql: 'drop table users' }, { tool: plain })).effect).toBe('deny');
    expect(engine.decide('call', callOf({ sql: 'select 1' }, { tool: plain })).effect).toBe('allow');
  });

  test('two people, where a policy says so', () => {
    const { guard } = guardOf(
      engineOf(`${ALL}@ask("Sure?") @people("2") permit(principal, action == Action::"call", resource);`),
    );
    expect(inspect([guard], callOf({}))).toMatchObject({ verdict: { kind: 'ask', people: 2 } });
  });
});

/** A resource that is read, or a prompt that is got. */
function useOf({ kind, upstream, id: target }: Offer, body: JsonObject = {}): Envelope {
  const own = { upstream, target, item: kind, tool: undefined, body };
  return toCall({ ...own, kind: kind === 'resource' ? 'read' : 'prompt' });
}

describe('resources and prompts', () => {
  const { client } = callOf({});
  const sees = (text: string, offer: Offer) => guardOf(engineOf(text)).access.mayReach?.(client.principal, offer);
  const reads = (text: string, offer: Offer, args: JsonObject = {}) =>
    guardOf(engineOf(text)).guard.judge(useOf(offer, args));

  test.each<[string, string, Offer]>([
    ['nothing permits it', '', SECRET],
    ['only calling is permitted', 'permit(principal, action == Action::"call", resource);', SECRET],
    ['listing is permitted, reading is not', 'permit(principal, action == Action::"list", resource);', SECRET],
    ['its URI is forbidden', `${ALL}forbid(principal, action, resource == Resource::"docs/file:///secret");`, SECRET],
    [
      'a pattern forbids it',
      `${ALL}forbid(principal, action == Action::"read", resource) when { resource.uri like "file:///s*" };`,
      SECRET,
    ],
    ['its server is forbidden', `${ALL}forbid(principal, action, resource in Server::"docs");`, SECRET],
    ['it is a resource', `${ALL}forbid(principal, action, resource is Resource);`, SECRET],
    [
      'it is forbidden for results too',
      `${ALL}forbid(principal, action in Action::"use", resource is Prompt);`,
      GREETING,
    ],
    [
      'the prompt is forbidden',
      `${ALL}forbid(principal, action == Action::"get", resource == Prompt::"docs/greet");`,
      GREETING,
    ],
  ])('stopped and hidden: %s', (_, text, offer) => {
    expect(sees(text, offer)).toBe(false);
    expect(reads(text, offer)).toMatchObject({ kind: 'deny', code: 'denied' });
  });

  test.each<[string, string, Offer]>([
    ['everything is permitted', ALL, SECRET],
    ['a rule about tools', `${ALL}forbid(principal, action, resource is Tool);`, SECRET],
    [
      'a rule about another resource',
      `${ALL}forbid(principal, action, resource == Resource::"docs/file:///other");`,
      SECRET,
    ],
    ['a rule about another prompt', `${ALL}forbid(principal, action, resource == Prompt::"docs/other");`, GREETING],
    [
      'a rule about effects',
      `${ALL}forbid(principal, action, resource) when { resource.sinks.contains(Sink::"pay") };`,
      SECRET,
    ],
    ['who may read may read this', 'permit(principal, action, resource) when { resource.readOnly };', GREETING],
  ])('let through and listed: %s', (_, text, offer) => {
    expect(sees(text, offer)).toBe(true);
    expect(reads(text, offer)).toEqual({ kind: 'allow' });
  });

  test.each([
    'file:///open/../secret',
    'file:///open/%2e%2e/secret',
    'file:///open/./a',
    'FILE:///open/a',
    'file:///open/\\..\\secret',
  ])('where policies tell URIs apart, one that can be read in two ways is not there: %s', (id) => {
    const offer = { ...SECRET, id };
    for (const text of [
      'permit(principal, action, resource) when { resource.name like "file:///open/*" };',
      `${ALL}forbid(principal, action, resource == Resource::"docs/file:///secret");`,
    ]) {
      expect(sees(text, offer)).toBe(false);
      expect(reads(text, offer)).toMatchObject({ kind: 'deny', reason: expect.stringContaining('more than one way') });
    }
    expect(reads(ALL, offer)).toEqual({ kind: 'allow' });
    expect(reads(`${ALL}forbid(principal, action, resource == Tool::"docs/pay");`, offer)).toEqual({ kind: 'allow' });
  });

  test('a prompt is told apart by its arguments, a resource by nothing but its URI', () => {
    const text = `${ALL}forbid(principal, action == Action::"get", resource) when { context.arguments has who && context.arguments.who == "boss" };`;
    expect(reads(text, GREETING, { who: 'boss' })).toMatchObject({ kind: 'deny' });
    expect(reads(text, GREETING, { who: 'bob' })).toEqual({ kind: 'allow' });
    expect(sees(text, GREETING)).toBe(true);
  });

  test('nobody can be asked about reading, so ask is no; an evaluator that fails denies and hides', () => {
    const asking = `${ALL}@ask("Sure?") permit(principal, action == Action::"read", resource);`;
    expect(reads(asking, SECRET)).toMatchObject({ kind: 'deny', reason: expect.stringContaining('Sure?') });
    for (const breakage of ['throws', 'fails', 'errs'] as const) {
      const { guard } = guardOf(engineOf(ALL, countingCedar(breakage).library));
      expect(inspect([guard], useOf(SECRET))).toMatchObject({ verdict: { kind: 'deny' } });
    }
  });

  test('what was read stays here where a policy holds results back', () => {
    const { guard } = guardOf(engineOf(`${ALL}forbid(principal, action == Action::"release", resource is Resource);`));
    const asked = useOf(SECRET);
    expect(guard.judge(asked)).toEqual({ kind: 'allow' });
    expect(guard.judge({ ...asked, kind: 'contents', body: {}, asked })).toMatchObject({ kind: 'deny' });
  });

  test('a flood of long URIs is evaluated, and nothing of it is kept', () => {
    const { library, count } = countingCedar();
    const text = `${ALL}forbid(principal, action, resource is Resource) when { resource.uri like "x*" };`;
    const engine = engineOf(text, library);
    const long: Offer = { ...SECRET, id: `file:///${'a'.repeat(100_000)}` };
    for (let i = 0; i < 3; i++) engine.decideOffer('use', { offer: long, client, arguments: {} });
    expect(count()).toBe(3);
    for (let i = 0; i < 3; i++) engine.decideOffer('use', { offer: SECRET, client, arguments: {} });
    expect(count()).toBe(4);
  });
});
