import { systemClock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import { type ApiInput, withApi } from './api.ts';
import { type Command, type Input, listOption, textOption } from './command.ts';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

export const keyCreate: Command = {
  name: 'key create',
  summary: 'make an API key for a program or a person; it is shown once',
  words: [['<name>', 'what the key is for; stands on every record of its calls']],
  options: [
    { flags: '--group <group>', meaning: 'a group of its holder; may be repeated', many: true },
    { flags: '--scope <scope>', meaning: 'limit it to this scope; may be repeated (left out: no limit)', many: true },
    {
      flags: '--attribute <name=value>',
      meaning: 'bind arguments to its holder; several of one name are several values',
      many: true,
    },
    { flags: '--person <person>', meaning: 'the human being who uses it' },
    { flags: '--account <account>', meaning: 'the system account that uses it' },
    { flags: '--expires <time>', meaning: 'ends after this long: 30m, 12h, 90d, or never (default: 90d)' },
  ],
  example: 'sallyport key create ci --group builders --account build-server --expires 30d',
  async run(input) {
    const body = toBody(input);
    const value = await withApi(input, (api) => api.call('createKey', { body }));
    const end = value.expiresAt === null ? 'It does not expire.' : `It expires on ${value.expiresAt.slice(0, 10)}.`;
    return {
      value,
      text: value.key,
      remarks: [`This is the key "${value.name}". Keep it: it is not shown again. ${end}`],
    };
  },
};

function toBody({ words, options }: Input): ApiInput<'createKey'>['body'] {
  const [name = ''] = words;
  const scopes = listOption(options, 'scope');
  return {
    name,
    person: textOption(options, 'person'),
    account: textOption(options, 'account'),
    groups: listOption(options, 'group'),
    scopes: scopes.length === 0 ? undefined : scopes,
    attributes: toAttributes(listOption(options, 'attribute')),
    expiresAt: toEnd(textOption(options, 'expires'), systemClock.now()),
  };
}

/** A name that stands several times has several values. */
function toAttributes(texts: readonly string[]): Record<string, string | readonly string[]> {
  const found = new Map<string, string[]>();
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 1) throw new FaultError('usage', '--attribute takes name=value.');
    const name = text.slice(0, at);
    found.set(name, [...(found.get(name) ?? []), text.slice(at + 1)]);
  }
  return Object.fromEntries(
    [...found].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function toEnd(text: string | undefined, now: number): string | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'never') return null;
  const [, number, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS.get(unit ?? '') ?? Number.NaN);
  if (!(ms > 0)) throw new FaultError('usage', '--expires is a time like 30m, 12h or 90d, or never.');
  return new Date(now + ms).toISOString();
}
