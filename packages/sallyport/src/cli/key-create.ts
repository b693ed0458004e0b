import { systemClock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import type { Attributes } from '../core/principal.ts';
import { createKey } from '../storage/keys.ts';
import { type Command, type Input, listOption, textOption } from './command.ts';
import { describeKey, withKeys } from './with-keys.ts';

/** Long enough not to be in the way, short enough that a forgotten key ends. */
const DEFAULT_DAYS = '90d';
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
    { flags: '--expires <time>', meaning: `ends after this long: 30m, 12h, 90d, or never (default: ${DEFAULT_DAYS})` },
  ],
  example: 'sallyport key create ci --group builders --account build-server --expires 30d',
  async run(input) {
    const now = systemClock.now();
    const wanted = toNewKey(input, now);
    const { key, secret } = await withKeys(input, (database) => createKey(database, wanted, now));
    const end = key.expiresAt === undefined ? 'It does not expire.' : `It expires on ${toDay(key.expiresAt)}.`;
    return {
      value: { ...describeKey(key, now), key: secret },
      text: secret,
      remarks: [`This is the key "${key.name}". Keep it: it is not shown again. ${end}`],
    };
  },
};

function toNewKey({ words, options }: Input, now: number) {
  const [name = ''] = words;
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@/-]{0,63}$/u.test(name))
    throw new FaultError('usage', "A key's name is 1 to 64 letters, digits, blanks and . _ @ / -");
  const scopes = listOption(options, 'scope');
  if (!scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)))
    throw new FaultError('usage', 'A scope holds no blanks, quotes or backslashes; repeat --scope for several.');
  return {
    name,
    person: textOption(options, 'person'),
    account: textOption(options, 'account'),
    groups: listOption(options, 'group'),
    scopes: scopes.length === 0 ? undefined : scopes,
    attributes: toAttributes(listOption(options, 'attribute')),
    expiresAt: toEnd(textOption(options, 'expires') ?? DEFAULT_DAYS, now),
  };
}

/** One that is given several times has several values. */
function toAttributes(texts: readonly string[]): Attributes {
  const values = new Map<string, string[]>();
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 1) throw new FaultError('usage', '--attribute takes name=value.');
    const name = text.slice(0, at);
    values.set(name, [...(values.get(name) ?? []), text.slice(at + 1)]);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? String(all[0]) : all]));
}

function toEnd(text: string, now: number): number | undefined {
  if (text === 'never') return undefined;
  const [, number, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS.get(unit ?? '') ?? Number.NaN);
  if (!(ms > 0)) throw new FaultError('usage', '--expires is a time like 30m, 12h or 90d, or never.');
  return now + ms;
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
