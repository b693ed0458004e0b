import type { SecretGroup } from '../../config/secret-kinds.ts';
import type { SecretDirection, SecretMode, SecretSettings } from '../../config/secrets-section.ts';
import type { Tool } from '../../core/call.ts';
import { matchesGlob } from '../../core/glob.ts';
import type { JsonObject } from '../../core/json.ts';
import { findCustom } from './custom-patterns.ts';
import { findSecrets, withoutOverlaps } from './find-secrets.ts';
import type { SecretMatch } from './secret-match.ts';
import { isSensitive } from './sensitive-fields.ts';
import { findSplitSecrets } from './split-secrets.ts';
import { findTokens } from './vault.ts';
import { eachText, type PlacedText } from './walk-strings.ts';

/** One secret of a message, and what the configuration does with it. */
export interface WeighedSecret {
  readonly kind: string;
  readonly mode: Exclude<SecretMode, 'allow'>;
  readonly pointer: string;
  readonly start: number;
  readonly end: number;
  readonly value: string;
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
}

/** Could anything be found that is not allowed? Where not, nothing is looked at. */
export function isWatched({ settings, direction }: Pick<WeighOptions, 'settings' | 'direction'>): boolean {
  return settings.rules.length > 0 || Object.values(settings[direction]).some((mode) => mode !== 'allow');
}

/** Every secret of a message that is not simply allowed, in the order of its texts. */
export function weighSecrets(root: JsonObject, options: WeighOptions): readonly WeighedSecret[] {
  const { settings, direction, marked, markedRoot } = options;
  const texts: PlacedText[] = [];
  const weighed: WeighedSecret[] = [];
  eachText(root, (placed) => {
    texts.push(placed);
    const { text, pointer, field } = placed;
    if (text === '') return;
    const isMarked =
      marked.length > 0 && isBelow(pointer, markedRoot) && isSensitive(marked, pointer.slice(markedRoot.length));
    const mode = isMarked ? modeOf({ kind: 'sensitive-field', group: 'marked', pointer }, options) : 'allow';
    if (mode !== 'allow') {
      weighed.push({ kind: 'sensitive-field', mode, pointer, start: 0, end: text.length, value: text, isSplit: false });
      return;
    }
    const found = findSecrets(text, { field });
    const own = settings.custom.length === 0 ? NOTHING : findCustom(text, settings.custom);
    if (found.length === 0 && own.length === 0) return;
    const tokens = findTokens(text);
    for (const match of own.length === 0 ? found : withoutOverlaps([...found, ...own])) {
      // A token says "secret:" itself.
      if (tokens.some(({ start, end }) => match.start < end && start < match.end)) continue;
      // A page that explains keys shows samples; what leaves in arguments may be meant to look like one.
      if (match.isSample && direction === 'results') continue;
      const chosen = modeOf({ ...match, pointer }, options);
      const { kind, start, end } = match;
      if (chosen !== 'allow')
        weighed.push({ kind, mode: chosen, pointer, start, end, value: text.slice(start, end), isSplit: false });
    }
  });
  for (const { kind, pointers } of findSplitSecrets(texts, findSecrets)) {
    const [pointer = ''] = pointers;
    const mode = modeOf({ kind, group: 'credentials', pointer }, options);
    if (mode !== 'allow') weighed.push({ kind, mode, pointer, start: 0, end: 0, value: '', isSplit: true });
  }
  return weighed;
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

/** How many places a reason names. */
const MAX_NAMED = 5;

/** `a github-token at /body`, never the value. */
export function describeSecrets(secrets: readonly Pick<WeighedSecret, 'kind' | 'pointer' | 'isSplit'>[]): string {
  const named = secrets
    .slice(0, MAX_NAMED)
    .map(({ kind, pointer, isSplit }) => `${kind} at ${pointer.slice(0, 128) || '/'}${isSplit ? ' (in pieces)' : ''}`);
  const more = secrets.length - named.length;
  return `${[...new Set(named)].join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
