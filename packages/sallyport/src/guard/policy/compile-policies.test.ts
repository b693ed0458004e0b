import { beforeAll, describe, expect, test } from 'vitest';
import { type CedarLibrary, loadCedar } from './cedar.ts';
import type { KnownNames } from './check-names.ts';
import { compilePolicies } from './compile-policies.ts';
import { toStarterSource } from './starter-sets.ts';

let cedar: CedarLibrary;
beforeAll(async () => {
  cedar = await loadCedar();
});

const NAMES: KnownNames = {
  servers: new Set(['bank', 'github']),
  groups: { names: new Set(['finance', 'developers']), isWhole: false },
  tools: (server) => (server === 'bank' ? new Set(['pay', 'balance']) : undefined),
};
const compile = (text: string, names = NAMES) => compilePolicies(cedar, [{ file: 'team.cedar', text }], names);

describe('a mistake is told with file, line, cause and fix', () => {
  test.each<[string, string, string]>([
    [
      'no Cedar',
      '\n\npermit(principal, action, resource) wen { true };',
      'team.cedar, line 3: invalid policy condition: wen; condition must be either `when` or `unless`.',
    ],
    [
      'after letters of several bytes',
      '// 政策 政策 政策 政策\n\npermit(principal, action, resource) wen { true };',
      'team.cedar, line 3: invalid policy condition: wen; condition must be either `when` or `unless`.',
    ],
    [
      'an attribute nobody has',
      'permit(principal, action, resource)\nwhen { principal.persn == "bob" };',
      'team.cedar, line 2: attribute `persn` on entity type `Principal` not found; did you mean `person`?'.replace(
        '?',
        '.',
      ),
    ],
    [
      'an attribute that may be missing',
      'permit(principal, action, resource) when { principal.person == "bob" };',
      "team.cedar, line 1: unable to guarantee safety of access to optional attribute `person` on entity type `Principal`; try testing for the attribute's presence with `principal has person && ..`.",
    ],
    [
      'an unknown action',
      'permit(principal, action == Action::"cal", resource);',
      'team.cedar, line 1: unrecognized action `Action::"cal"`; did you mean `Action::"call"`.',
    ],
    [
      'an unknown entity type',
      'permit(principal in Grop::"dev", action, resource);',
      'team.cedar, line 1: unrecognized entity type `Grop`; did you mean `Group`.',
    ],
    [
      'an unknown effect',
      'forbid(principal, action, resource) when { resource.sinks.contains(Sink::"deleet") };',
      'team.cedar, line 1: entity `Sink::"deleet"` is of an enumerated entity type, but `"deleet"` is not declared as a valid eid; valid entity eids: "delete", "pay"',
    ],
    [
      'a type error',
      'permit(principal, action, resource) when { resource.readOnly > 3 };',
      'team.cedar, line 1: unexpected type',
    ],
    [
      'a rule that can never match',
      'permit(principal, action, resource);\nforbid(principal, action, resource is Server);',
      'team.cedar, line 2: unable to find an applicable action given the policy scope constraints',
    ],
    [
      'arguments at discovery',
      'forbid(principal, action, resource) when { context.arguments has amount };',
      'team.cedar, line 1: attribute `arguments` in context for Action::"list" not found',
    ],
    [
      'an argument that may be missing',
      'forbid(principal, action == Action::"call", resource) when { context.arguments.amount > 1 };',
      "try testing for the attribute's presence with `context.arguments has amount && ..`.",
    ],
    [
      'an annotation with a slip',
      '@aks("Sure?") permit(principal, action, resource);',
      'team.cedar, line 1: @aks means nothing here; did you mean @ask.',
    ],
    [
      'a forbid that asks',
      '@ask("Sure?") forbid(principal, action, resource);',
      'team.cedar, line 1: @ask stands on a forbid, which never asks; put it on a permit, or use @reason.',
    ],
    [
      'a server with a slip',
      'forbid(principal, action, resource in Server::"githbu");',
      'team.cedar, line 1: no server is called "githbu", so this policy can never match; did you mean "github".',
    ],
    [
      'a tool of a server with a slip',
      'forbid(principal, action, resource == Tool::"bnak/pay");',
      'team.cedar, line 1: no server is called "bnak", so this policy can never match; did you mean "bank".',
    ],
    [
      'a server like no other',
      'forbid(principal, action, resource in Server::"warehouse");',
      'no server is called "warehouse", so this policy can never match; the configuration has bank, github.',
    ],
    [
      'a tool with a slip',
      'forbid(principal, action, resource == Tool::"bank/pya");',
      'team.cedar, line 1: the server "bank" has no tool "pya"; did you mean "pay".',
    ],
    [
      'a tool without its server',
      'forbid(principal, action, resource == Tool::"pay");',
      'Tool::"pay" names no server, so this policy can never match; write Tool::"server/name".',
    ],
    [
      'a resource without its server',
      'forbid(principal, action, resource == Resource::"file:");',
      'Resource::"file:" names no server, so this policy can never match; write Resource::"server/uri".',
    ],
    [
      'a group with a slip',
      'permit(principal in Group::"finence", action, resource);',
      'team.cedar, line 1: no group is called "finence" in the configuration; did you mean "finance", or name it in policy.groups.',
    ],
    [
      'a principal of no kind',
      'permit(principal == Principal::"bob", action, resource);',
      'no principal is called "bob", so this policy can never match; ids are key:<id>',
    ],
    [
      'a kind there is not',
      'forbid(principal, action, resource) when { principal.kind == "oath" };',
      'team.cedar, line 1: principal.kind is never "oath"; did you mean "oauth".',
    ],
    [
      'a kind there is not, among others',
      'forbid(principal, action, resource) when { ["key", "keys"].contains(principal.kind) };',
      'principal.kind is never "keys"; did you mean "key".',
    ],
    [
      'a weekday written out',
      'forbid(principal, action == Action::"call", resource) when { context.time.weekday == "monday" };',
      'context.time.weekday is never "monday"; ',
    ],
    [
      'an hour after the last one',
      'forbid(principal, action == Action::"call", resource) when { context.time.hour > 23 };',
      'context.time.hour is from 0 to 23, so this comparison with 23 can never match.',
    ],
    [
      'a minute there is not',
      'forbid(principal, action == Action::"call", resource) when { context.time.minute == 60 };',
      'context.time.minute is from 0 to 59, so this comparison with 60 can never match.',
    ],
    [
      'a condition that is never true',
      'forbid(principal, action, resource) when { resource.readOnly && false };',
      'team.cedar, line 1: policy is impossible: the policy expression evaluates to false for all valid requests.',
    ],
    [
      'reading a tool',
      'forbid(principal, action == Action::"read", resource == Tool::"bank/pay");',
      'team.cedar, line 1: unable to find an applicable action given the policy scope constraints',
    ],
    [
      'two people and no question',
      '@people("2") permit(principal, action, resource);',
      'team.cedar, line 1: @people stands without @ask, so that nobody is asked; add @ask.',
    ],
    [
      'three people',
      '@ask("Sure?") @people("3") permit(principal, action, resource);',
      'team.cedar, line 1: @people is "2" or left out.',
    ],
    [
      'a template',
      'permit(principal == ?principal, action, resource);',
      'team.cedar, line 1: a template (?principal, ?resource) has nobody to fill it in; write the names.',
    ],
    [
      'two of one name',
      '@id("a") permit(principal, action, resource);\n@id("a") forbid(principal, action, resource);',
      'team.cedar, line 2: the id "a" is taken by the policy at team.cedar, line 1; give one of them another @id.',
    ],
    [
      'an argument used as two things',
      'permit(principal, action == Action::"call", resource) when { context.arguments has id && context.arguments.id == 1 };\nforbid(principal, action == Action::"call", resource) when { context.arguments has id && context.arguments.id == "1" };',
      'team.cedar, line 2: with the policies before it, the argument id is taken for a whole number and for a text; use it as one of them.',
    ],
    [
      'all arguments at once',
      'forbid(principal, action == Action::"call", resource) when { context.arguments == context.arguments };',
      'team.cedar, line 1: reads context.arguments as a whole; name the argument it is about.',
    ],
  ])('%s', (_, text, message) => {
    expect(() => compile(text)).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringContaining(message) }),
    );
  });

  test('all of them at once', () => {
    const text =
      'permit(principal, action == Action::"cal", resource);\npermit(principal in Grop::"a", action, resource);';
    expect(() => compile(text)).toThrow(
      /^The policies have \d problems:\n {2}- team.cedar, line 1: [\s\S]*- team.cedar, line 2: /,
    );
  });
});

describe('good policies', () => {
  test.each(['laptop', 'team', 'locked'] as const)('the set %s', (set) => {
    const { policies } = compilePolicies(cedar, [toStarterSource(set)], NAMES);
    expect(policies.length).toBeGreaterThan(0);
    expect(policies.every(({ id, reads }) => id.startsWith(`${set}:`) && reads.size === 0)).toBe(true);
  });

  test('an argument used as two things at two servers', () => {
    const text = `permit(principal, action, resource in Server::"bank");
      permit(principal, action == Action::"call", resource in Server::"bank") when { context.arguments has id && context.arguments.id == 1 };
      permit(principal, action == Action::"call", resource in Server::"github") when { context.arguments has id && context.arguments.id == "1" };`;
    expect(compile(text).policies.map(({ server, reads, line }) => [server, [...reads], line])).toEqual([
      ['bank', [], 1],
      ['bank', ['arguments'], 2],
      ['github', ['arguments'], 3],
    ]);
  });

  test.each<[string, string]>([
    ['a server of the configuration', 'permit(principal, action, resource in Server::"bank");'],
    ['a tool it has', 'permit(principal, action, resource == Tool::"bank/pay");'],
    ['a tool of a server whose list is not known', 'permit(principal, action, resource == Tool::"github/anything");'],
    ['a resource', 'permit(principal, action == Action::"read", resource == Resource::"bank/file:///a");'],
    ['a group that only keys know', 'permit(principal in Group::"auditors", action, resource);'],
    [
      'kinds there are',
      'permit(principal, action, resource) when { ["key", "oauth", "os"].contains(principal.kind) };',
    ],
    ['a caller by id', 'permit(principal == Principal::"oauth:https://login.example#bob", action, resource);'],
    [
      'office hours',
      'permit(principal, action == Action::"call", resource) when { context.time.hour >= 9 && context.time.hour < 17 && context.time.weekday != "sun" };',
    ],
    [
      'an instant',
      'permit(principal, action == Action::"call", resource) when { context.time.instant < datetime("2030-01-01T00:00:00Z") };',
    ],
    ['labels', 'permit(principal, action == Action::"call", resource) when { !context.labels.contains("secret") };'],
    ['two people', '@ask("Sure?") @people("2") permit(principal, action == Action::"call", resource);'],
  ])('%s', (_, text) => expect(compile(text).policies).toHaveLength(1));

  test('where all groups are known, any other is a mistake', () => {
    const text = 'permit(principal in Group::"auditors", action, resource);';
    const groups = { names: new Set(['finance']), isWhole: true };
    expect(() => compile(text, { groups })).toThrow(
      'no group is called "auditors" in the configuration; it has finance',
    );
    expect(compile(text, {}).policies).toHaveLength(1);
  });

  test('many policies at once: each is checked, and each problem stands at its line', () => {
    const good = (i: number) => `permit(principal in Group::"g${i}", action, resource in Server::"bank");`;
    const lines = Array.from({ length: 60 }, (_, i) => (i % 20 === 7 ? good(i).replace('Server', 'Servr') : good(i)));
    expect(() => compile(lines.join('\n'), {})).toThrow(/3 problems:[\s\S]*line 8: [\s\S]*line 28: [\s\S]*line 48: /);
    expect(compile(lines.join('\n').replaceAll('Servr', 'Server'), {}).policies).toHaveLength(60);
  });

  test('the version follows the texts', () => {
    const one = compile('permit(principal, action, resource);').version;
    expect(compile('permit(principal, action, resource);').version).toBe(one);
    expect(compile('permit(principal, action, resource); ').version).not.toBe(one);
  });
});
