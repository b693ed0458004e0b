import type { SecretGroup } from '../../config/secret-kinds.ts';
import type { SecretDirection, SecretMode, SecretSettings } from '../../config/secrets-section.ts';
import type { Tool } from '../../core/call.ts';
import { matchesGlob } from '../../core/glob.ts';
import type { JsonObject } from '../../core/json.ts';
import { findCustom } from './custom-patterns.ts';
import { findSecrets, toGroup, withoutOverlaps } from './find-secrets.ts';
import { mayHoldSecrets } from './may-hold-secret.ts';
import type { SecretMatch } from './secret-match.ts';
import { isSensitive } from './sensitive-fields.ts';
import { findSplitSecrets, Spelled } from './split-secrets.ts';
import { findTokens, type Token } from './vault.ts';
import { applyEdits, eachValue, type PlacedText, type PlacedValue } from './walk-strings.ts';

/** One secret of a message, and what the configuration does with it. */
export interface WeighedSecret {
  readonly kind: string;
  readonly mode: Exclude<SecretMode, 'allow'>;
  readonly pointer: string;
  readonly form: PlacedValue['form'];
  /** The name it stands under. */
  readonly field: string;
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** Nothing but its name tells that it is one: elsewhere it is not found by itself. */
  readonly isByName: boolean;
  /** In pieces: it cannot be taken out of the texts that hold it. */
  readonly isSplit: boolean;
}

export interface WeighOptions {
  readonly settings: SecretSettings;
  readonly direction: SecretDirection;
  /** A tool, or what else is asked for at the server by a name. */
  readonly tool: Pick<Tool, 'upstream' | 'name'>;
  /** Fields that are secret whatever they hold, and the pointer they start at. */
  readonly marked: readonly (readonly string[])[];
  readonly markedRoot: string;
  /** What was said before in the same stream: a key may go on from there. */
  readonly before?: readonly PlacedText[];
}

const watched = new WeakMap<SecretSettings, Record<SecretDirection, boolean>>();

/** Could anything be found that is not allowed? Where not, nothing is looked at. */
export function isWatched({ settings, direction }: Pick<WeighOptions, 'settings' | 'direction'>): boolean {
  let known = watched.get(settings);
  if (known === undefined) {
    const acts = (modes: Readonly<Record<string, SecretMode>>) =>
      settings.rules.length > 0 || Object.values(modes).some((mode) => mode !== 'allow');
    known = { arguments: acts(settings.arguments), results: acts(settings.results) };
    watched.set(settings, known);
  }
  return known[direction];
}

/** Every secret of a message that is not simply allowed, in the order of its texts. */
export function weighSecrets(root: JsonObject, options: WeighOptions): readonly WeighedSecret[] {
  const { marked, settings, before = NO_TEXTS } = options;
  const isPlain = marked.length === 0 && settings.custom.length === 0 && !mayHoldSecrets(root);
  if (isPlain && before.length === 0) return NONE;
  const texts: PlacedText[] = [...before];
  const weighed: WeighedSecret[] = [];
  const spelled = new Spelled(findSecrets);
  eachValue(root, (placed) => {
    spelled.add(placed);
    if (placed.form === 'text') texts.push(placed);
    if (!isPlain && placed.text !== '') weighValue(placed, options, weighed);
  });
  spelled.end();
  for (const { kind, pointers } of [...findSplitSecrets(texts, findSecrets), ...spelled.found]) {
    const [pointer = ''] = pointers;
    const mode = modeOf({ kind, group: toGroup(kind), pointer }, options);
    if (mode !== 'allow') weighed.push({ kind, mode, pointer, ...IN_PIECES });
  }
  return weighed;
}

const NONE: readonly WeighedSecret[] = Object.freeze([]);
const NO_TEXTS: readonly PlacedText[] = Object.freeze([]);

const IN_PIECES = { form: 'text', field: '', start: 0, end: 0, value: '', isByName: false, isSplit: true } as const;

function weighValue(placed: PlacedValue, options: WeighOptions, weighed: WeighedSecret[]): void {
  const { text, pointer, field, form } = placed;
  const { settings, direction } = options;
  const here = { pointer, form, field, isSplit: false };
  const sensitive = isMarked(placed, options)
    ? modeOf({ kind: 'sensitive-field', group: 'marked', pointer }, options)
    : 'allow';
  if (sensitive !== 'allow') {
    const whole = { start: 0, end: text.length, value: text, isByName: true };
    weighed.push({ kind: 'sensitive-field', mode: sensitive, ...here, ...whole });
    return;
  }
  // No number of another form is one of a person or an account.
  if (form === 'flag' || (form === 'number' && settings.custom.length === 0 && !/^\d{9}/.test(text))) return;
  const all = findSecrets(text, { field });
  const own = settings.custom.length === 0 ? NOTHING : findCustom(text, settings.custom);
  if (all.length === 0 && own.length === 0) return;
  const tokens = findTokens(text);
  const found = tokens.some(({ isEncoded }) => isEncoded) ? findSecrets(withBrackets(text, tokens), { field }) : all;
  let next = 0;
  for (const match of own.length === 0 ? found : withoutOverlaps([...found, ...own])) {
    const { kind, start, end } = match;
    while (next < tokens.length && (tokens[next] as Token).end <= start) next += 1;
    const token = tokens[next];
    // A token says "secret:" itself. What is more than a token is none.
    if (token !== undefined && token.start <= start && end <= token.end) continue;
    // A page that explains keys shows samples; what leaves in arguments may be meant to look like one.
    if (match.isSample && direction === 'results') continue;
    const mode = modeOf({ ...match, pointer }, options);
    const isByName = end - start === text.length && (kind === 'password' || kind === 'named-secret');
    if (mode !== 'allow') weighed.push({ kind, mode, ...here, start, end, value: text.slice(start, end), isByName });
  }
}

/** An encoded token has nothing that ends a word: `secret:` would read on into what stands behind it. */
function withBrackets(text: string, tokens: readonly Token[]): string {
  const edits = tokens.map(({ start, end }) => ({ start, end, text: '{'.repeat(end - start) }));
  return applyEdits(text, edits);
}

/** Names below a marked field are its content. */
function isMarked({ pointer, form }: PlacedValue, { marked, markedRoot }: WeighOptions): boolean {
  if (marked.length === 0) return false;
  const at = form === 'name' ? pointer.slice(0, pointer.lastIndexOf('/')) : pointer;
  return isBelow(at, markedRoot) && isSensitive(marked, at.slice(markedRoot.length));
}

const NOTHING: readonly SecretMatch[] = Object.freeze([]);

function isBelow(pointer: string, root: string): boolean {
  return root === '' || pointer.startsWith(`${root}/`);
}

interface Weighable {
  readonly kind: string;
  readonly group: SecretGroup;
  readonly pointer: string;
}

/** The first rule that matches, else what the group says. */
function modeOf({ kind, group, pointer }: Weighable, { settings, direction, tool }: WeighOptions): SecretMode {
  for (const rule of settings.rules) {
    if (rule.direction !== undefined && rule.direction !== direction) continue;
    if (rule.upstream !== undefined && !matchesGlob(rule.upstream, tool.upstream)) continue;
    if (rule.tool !== undefined && !matchesGlob(rule.tool, tool.name)) continue;
    if (rule.field !== undefined && !matchesGlob(rule.field, pointer)) continue;
    if (rule.kinds !== undefined && !rule.kinds.has(kind) && !rule.kinds.has(group)) continue;
    return rule.mode;
  }
  return settings[direction][group];
}

/** A place as a reason names it: models, people and records read it, and a secret may be the name of a member. */
export function toShown(pointer: string): string {
  const steps = pointer
    .slice(0, 4_096)
    .split('/')
    .map((step) => (findSecrets(step).length > 0 ? '…' : step));
  return steps.join('/').slice(0, 128) || '/';
}

/** How many places a reason names. */
const MAX_NAMED = 5;

/** `a github-token at /body`, never the value. */
export function describeSecrets(secrets: readonly Pick<WeighedSecret, 'kind' | 'pointer' | 'isSplit'>[]): string {
  const named = secrets
    .slice(0, MAX_NAMED)
    .map(({ kind, pointer, isSplit }) => `${kind} at ${toShown(pointer)}${isSplit ? ' (in pieces)' : ''}`);
  const more = secrets.length - named.length;
  return `${[...new Set(named)].join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
