import { toCall } from '../control/decision-record.ts';
import { systemClock } from '../core/clock.ts';
import { FAILURES, FaultError } from '../core/errors.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import type { Principal } from '../core/principal.ts';
import { SINK_CLASSES, type SinkClass } from '../core/sink.ts';
import { PolicyEngine } from '../guard/policy/policy-engine.ts';
import { findSinks } from '../guard/sinks/sink-floor.ts';
import { type Command, type Input, listOption, textOption } from './command.ts';
import { openPolicies, POLICY_FLAGS } from './open-policies.ts';
import { parseObject } from './read-stdin.ts';

const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'];

export const policyTest: Command = {
  name: 'policy test',
  summary: 'tell what the policies would decide about a call, and which of them',
  words: [['<tool>', 'server/tool']],
  options: [
    ...POLICY_FLAGS,
    { flags: '--policies <file>', meaning: 'use this Cedar file; may be repeated', many: true },
    {
      flags: '--principal <id>',
      meaning: 'who calls: an id, or a JSON object (id, kind, person, scopes, attributes, …)',
    },
    { flags: '--group <name>', meaning: 'a group the caller is in; may be repeated', many: true },
    { flags: '--args <json>', meaning: 'the arguments of the call as one JSON object' },
    {
      flags: '--hint <hint>',
      meaning: 'an approved hint: readOnly, destructive=false, …; may be repeated',
      many: true,
    },
    {
      flags: '--sink <class>',
      meaning: `an effect of the tool: ${SINK_CLASSES.join(', ')}; may be repeated`,
      many: true,
    },
    { flags: '--client <name>', meaning: 'the name of the client program' },
  ],
  example: `sallyport policy test bank/pay --set team --group writers --sink pay --args '{"amount":5}'`,
  async run(input) {
    const { cedar, compiled } = await openPolicies(input, listOption(input.options, 'policies'));
    const engine = new PolicyEngine(cedar, compiled, {
      clock: systemClock,
      sinksOf: (one) => findSinks(one, undefined),
    });
    const call = readCall(input);
    const visible = engine.maySee(call.client.principal, call.tool);
    const { effect, reason, policies } = engine.decide('call', call);
    const decided = compiled.policies.filter(({ id }) => policies.includes(id));
    const because = decided.map(({ id, file, line, effect: kind }) => `  ${kind} ${id} (${file}, line ${line})`);
    return {
      value: {
        effect: visible ? effect : 'deny',
        visible,
        reason,
        version: compiled.version,
        policies: decided.map(({ id, file, line, effect: kind }) => ({ id, file, line, effect: kind })),
      },
      text: [
        visible ? effect : 'deny',
        ...(reason === '' ? [] : [reason]),
        ...(visible ? [] : ['The tool is not in the lists of this caller, who cannot call it either.']),
        ...(because.length === 0 ? ['No policy matches.'] : ['Decided by:', ...because]),
      ].join('\n'),
      exit: visible && effect !== 'deny' ? 0 : FAILURES.denied.exit,
    };
  },
};

function readCall({ words, options }: Input) {
  const [word = ''] = words;
  const slash = word.indexOf('/');
  if (slash < 1 || slash === word.length - 1)
    throw new FaultError('usage', 'Write the tool as server/tool, by its own name at the server.');
  const args = textOption(options, 'args');
  return toCall({
    principal: readPrincipal(textOption(options, 'principal'), listOption(options, 'group')),
    tool: {
      upstream: word.slice(0, slash),
      name: word.slice(slash + 1),
      digest: '',
      approvedHints: readHints(listOption(options, 'hint')),
      sinks: listOption(options, 'sink').map(readSink),
    },
    client: textOption(options, 'client'),
    ...(args === undefined ? {} : { arguments: parseObject(args, '--args') }),
  });
}

function readPrincipal(text: string | undefined, groups: readonly string[]): Principal {
  const given: JsonObject = text?.startsWith('{') ? parseObject(text, '--principal') : { id: text ?? 'someone' };
  const one = (key: string): string | undefined => {
    const value = member(given, key);
    return typeof value === 'string' ? value : undefined;
  };
  const many = (key: string): readonly string[] | undefined => {
    const value = member(given, key);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
  };
  const kind = one('kind') ?? 'key';
  if (!isKind(kind)) throw new FaultError('usage', `The kind of a principal is one of ${KINDS.join(', ')}.`);
  const attributes = member(given, 'attributes');
  return {
    id: one('id') ?? 'someone',
    kind,
    person: one('person'),
    agent: one('agent'),
    account: one('account'),
    actors: many('actors'),
    scopes: many('scopes'),
    groups: [...(many('groups') ?? []), ...groups],
    attributes: isObject(attributes)
      ? Object.fromEntries(
          Object.entries(attributes).map(([name, value]) => [
            name,
            Array.isArray(value) ? value.map(String) : String(value),
          ]),
        )
      : undefined,
  };
}

const KINDS: readonly Principal['kind'][] = ['key', 'oauth', 'mtls', 'stdio', 'open'];

function isKind(text: string): text is Principal['kind'] {
  return KINDS.some((kind) => kind === text);
}

function readHints(texts: readonly string[]): JsonObject {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', value = 'true'] = text.split('=', 2);
      if (!HINTS.includes(name) || (value !== 'true' && value !== 'false'))
        throw new FaultError('usage', `--hint is one of ${HINTS.join(', ')}, with =false where it does not hold.`);
      return [`${name}Hint`, value === 'true'];
    }),
  );
}

function readSink(text: string): SinkClass {
  const sink = SINK_CLASSES.find((one) => one === text);
  if (sink === undefined) throw new FaultError('usage', `--sink is one of ${SINK_CLASSES.join(', ')}.`);
  return sink;
}
