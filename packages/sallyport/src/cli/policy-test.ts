import { FAILURES, FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { SINK_CLASSES, type SinkClass } from '../core/sink.ts';
import { type ApiInput, withApi } from './api.ts';
import { type Command, type Input, listOption, textOption } from './command.ts';
import { POLICY_FLAGS, readGivenPolicies } from './given-policies.ts';
import { parseObject } from './read-stdin.ts';

const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'];

export const policyTest: Command = {
  name: 'policy test',
  summary: 'tell what the policies would decide about a call, and which of them',
  words: [['<tool>', 'server/tool; with --resource or --prompt: server/uri or server/prompt']],
  options: [
    ...POLICY_FLAGS,
    { flags: '--policies <file>', meaning: 'use this Cedar file; may be repeated', many: true },
    { flags: '--resource', meaning: 'it is a resource that is read' },
    { flags: '--prompt', meaning: 'it is a prompt that is got' },
    {
      flags: '--principal <id>',
      meaning: 'who calls: an id, or a JSON object (id, kind, person, scopes, attributes, …)',
    },
    { flags: '--group <name>', meaning: 'a group the caller is in; may be repeated', many: true },
    { flags: '--args <json>', meaning: 'the arguments of the call as one JSON object' },
    {
      flags: '--hint <hint>',
      meaning: 'an approved hint: readOnly, destructive=false, …; may be repeated; left out: as approved',
      many: true,
    },
    {
      flags: '--sink <class>',
      meaning: `an effect of the tool: ${SINK_CLASSES.join(', ')}; may be repeated; left out: as its approved definition tells`,
      many: true,
    },
    { flags: '--client <name>', meaning: 'the name of the client program' },
    { flags: '--label <label>', meaning: 'a label on the data of the conversation; may be repeated', many: true },
    { flags: '--time <time>', meaning: 'when it is called, as an ISO time (default: now)' },
  ],
  example: `sallyport policy test bank/pay --set team --group writers --sink pay --args '{"amount":5}'`,
  run: (input) =>
    withApi(input, async (api) => {
      const found = await api.call('testPolicies', { body: readUse(input) });
      const because = found.policies.map(({ id, file, line, effect }) => `  ${effect} ${id} (${file}, line ${line})`);
      return {
        value: { ...found },
        text: [
          found.effect,
          ...(found.reason === '' ? [] : [found.reason]),
          ...(found.people === undefined ? [] : [`${found.people} people have to agree.`]),
          ...(found.visible ? [] : ['It is not in the lists of this caller, who cannot use it either.']),
          ...(because.length === 0 ? ['No policy matches.'] : ['Decided by:', ...because]),
        ].join('\n'),
        exit: found.effect === 'deny' ? FAILURES.denied.exit : 0,
      };
    }),
};

type Use = NonNullable<ApiInput<'testPolicies'>['body']>;

function readUse(input: Input): Use {
  const { words, options } = input;
  const [word = ''] = words;
  const kind = options['resource'] === true ? 'resource' : options['prompt'] === true ? 'prompt' : 'tool';
  const args = textOption(options, 'args');
  const client = textOption(options, 'client');
  const time = textOption(options, 'time');
  const policies = readGivenPolicies(input, listOption(options, 'policies'));
  const hints = listOption(options, 'hint');
  const sinks = listOption(options, 'sink');
  const labels = listOption(options, 'label');
  return {
    ...(policies === undefined ? {} : { policies }),
    [kind]: word,
    principal: readPrincipal(textOption(options, 'principal'), listOption(options, 'group')),
    ...(args === undefined ? {} : { arguments: parseObject(args, '--args') }),
    ...(hints.length === 0 ? {} : { hints: readHints(hints) }),
    ...(sinks.length === 0 ? {} : { sinks: sinks.map(readSink) }),
    ...(labels.length === 0 ? {} : { labels: [...labels] }),
    ...(client === undefined ? {} : { client }),
    ...(time === undefined ? {} : { time }),
  };
}

/** The members are checked by the API. */
function readPrincipal(text: string | undefined, groups: readonly string[]): NonNullable<Use['principal']> {
  const given: JsonObject = text?.startsWith('{')
    ? parseObject(text, '--principal')
    : text === undefined
      ? {}
      : { id: text };
  const own = Array.isArray(given['groups']) ? (given['groups'] as string[]) : [];
  return { ...given, groups: [...own, ...groups] };
}

function readHints(texts: readonly string[]): Record<string, boolean> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', value = 'true'] = text.split('=', 2);
      if (!HINTS.includes(name) || (value !== 'true' && value !== 'false'))
        throw new FaultError('usage', `--hint is one of ${HINTS.join(', ')}, with =false where it does not hold.`);
      return [name, value === 'true'];
    }),
  );
}

function readSink(text: string): SinkClass {
  const sink = SINK_CLASSES.find((one) => one === text);
  if (sink === undefined) throw new FaultError('usage', `--sink is one of ${SINK_CLASSES.join(', ')}.`);
  return sink;
}
