import type { SinkClass } from '../../core/sink.ts';
import { CHINESE, CREDENTIAL_PAIRS, NOT_SENT, OTHER_VERBS, PHRASES, READING_VERBS, VERBS } from './words.ts';

export interface Meaning {
  /** What the first verb says: it looks, it does, or there is no verb we know. */
  readonly act: 'reads' | 'acts' | 'unknown';
  readonly sinks: ReadonlySet<SinkClass>;
}

const MAX_WORDS = 32;
/** They speak of credentials without holding any. */
const ABOUT_CREDENTIALS: ReadonlySet<string> = new Set([
  'scanning',
  'alert',
  'alerts',
  'strength',
  'policy',
  'policies',
]);

/** `createUserV2`, `create-user`, `Users.create` as lower-case words. */
export function toWords(text: string): readonly string[] {
  return text
    .slice(0, 512)
    .normalize('NFKC')
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}

/** What a name, or the first words of a description, say the tool does. */
export function readWords(words: readonly string[]): Meaning {
  const sinks = new Set<SinkClass>();
  const at = words.findIndex((word) => READING_VERBS.has(word) || VERBS.has(word) || OTHER_VERBS.has(word));
  const verb = at < 0 ? undefined : words[at];
  const reads = verb !== undefined && READING_VERBS.has(verb);
  const rest = words.slice(at + 1);
  const alone = verb === undefined || reads ? undefined : VERBS.get(verb);
  if (alone !== undefined && !(alone === 'send_out' && rest.some((word) => NOT_SENT.has(word)))) sinks.add(alone);
  for (const { verbs, nouns, sink } of PHRASES) {
    // To look at a secret is to touch it; to look at anything else is not.
    if (verb === undefined || !verbs.has(verb) || (reads && sink !== 'credentials')) continue;
    // `drive_permission_update`, `python_exec`: servers that put the noun first.
    const where = sink === 'change_rights' || sink === 'run_code' ? words : rest;
    if (where.some((word) => nouns.has(word))) sinks.add(sink);
  }
  if (verb !== undefined && words.some((word, i) => CREDENTIAL_PAIRS.has(`${word} ${words[i + 1] ?? ''}`)))
    sinks.add('credentials');
  if (words.some((word) => ABOUT_CREDENTIALS.has(word))) sinks.delete('credentials');
  if (sinks.has('pay')) sinks.delete('send_out');
  return { act: verb === undefined ? 'unknown' : reads ? 'reads' : 'acts', sinks };
}

/** The same of a Chinese text: its first word of either kind decides. */
export function readChinese(text: string): Meaning {
  let first: { at: number; length: number; sink: SinkClass | undefined } | undefined;
  const head = text.slice(0, 24);
  if (!/\p{Script=Han}/u.test(head)) return { act: 'unknown', sinks: new Set() };
  for (const [word, sink] of CHINESE) {
    const at = head.indexOf(word);
    if (at < 0) continue;
    // 获取密钥 is more than 获取.
    if (first === undefined || at < first.at || (at === first.at && word.length > first.length))
      first = { at, length: word.length, sink };
  }
  if (first === undefined) return { act: 'unknown', sinks: new Set() };
  return first.sink === undefined ? { act: 'reads', sinks: new Set() } : { act: 'acts', sinks: new Set([first.sink]) };
}
