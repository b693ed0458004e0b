import { beforeAll, describe, expect, test } from 'vitest';
import { type CedarLibrary, loadCedar } from './cedar.ts';
import { compilePolicies } from './compile-policies.ts';
import { toStarterSource } from './starter-sets.ts';

let cedar: CedarLibrary;
beforeAll(async () => {
  cedar = await loadCedar();
});

const SERVERS = ['bank', 'github'];
const compile = (text: string) => compilePolicies(cedar, [{ file: 'team.cedar', text }], SERVERS);

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
      'team.cedar, line 1: attribute `arguments` in context for Action::"discover" not found',
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
    const { policies } = compilePolicies(cedar, [toStarterSource(set)], []);
    expect(policies.length).toBeGreaterThan(0);
    expect(policies.every(({ id, isPerCall }) => id.startsWith(`${set}:`) && !isPerCall)).toBe(true);
  });

  test('a server of another machine, an argument used as two things at two servers', () => {
    const text = `permit(principal, action, resource in Server::"something-else-entirely");
      permit(principal, action == Action::"call", resource in Server::"bank") when { context.arguments has id && context.arguments.id == 1 };
      permit(principal, action == Action::"call", resource in Server::"github") when { context.arguments has id && context.arguments.id == "1" };`;
    expect(compile(text).policies.map(({ server, isPerCall, line }) => [server, isPerCall, line])).toEqual([
      ['something-else-entirely', false, 1],
      ['bank', true, 2],
      ['github', true, 3],
    ]);
  });

  test('the version follows the texts', () => {
    const one = compile('permit(principal, action, resource);').version;
    expect(compile('permit(principal, action, resource);').version).toBe(one);
    expect(compile('permit(principal, action, resource); ').version).not.toBe(one);
  });
});
