import type { ToolFace } from '../../core/tool-face.ts';
import type { Reading } from './definition-reading.ts';
import type { DefinitionContext } from './scan-context.ts';

/** Tools that a definition speaks of, by name. */
export interface Mention {
  readonly start: number;
  readonly end: number;
  /** Whose tool it is: of another server, of its own, or of nobody we know. */
  readonly whose: 'foreign' | 'own' | 'unknown';
}

/** What is known of the names of one list of tools; made once per list, since a catalogue reads thousands of definitions beside it. */
interface Names {
  readonly servers: ReadonlyMap<string, ReadonlySet<string>>;
}

const KNOWN = new WeakMap<readonly ToolFace[], Names>();
/** A word that is written like a name in code: `save_note`, `save-note`, saveNote is lower case by now. */
const NAME =
  /[a-z][a-z0-9]{0,40}(?:[_-][a-z0-9]{1,40}){1,6}|`[a-z][a-z0-9]{2,60}(?:\(\))?`|'[a-z][a-z0-9]{2,40}' tool\b/g;
/** Shorter names are words. */
const MIN_PLAIN = 5;
const MAX_MENTIONS = 64;

export function findMentions(
  reading: Reading,
  context: DefinitionContext,
  own: ReadonlySet<string>,
): readonly Mention[] {
  const { servers } = namesOf(context.tools);
  const mentions: Mention[] = [];
  for (const match of reading.text.matchAll(NAME)) {
    const piece = reading.pieceAt(match.index);
    if (piece === undefined || piece.source.role === 'parameter' || piece.source.role === 'name') continue;
    const name = match[0].replace(/^[`']|\(\)`$|[`']$|' tool$/g, '');
    if (own.has(fold(name))) continue;
    const owners = servers.get(fold(name));
    const isCode = name.includes('_') || match[0] !== name;
    if (owners === undefined ? !isCode || !name.includes('_') : name.length < MIN_PLAIN) continue;
    const whose = owners === undefined ? 'unknown' : owners.has(context.server) ? 'own' : 'foreign';
    mentions.push({ start: match.index, end: match.index + match[0].length, whose });
    if (mentions.length >= MAX_MENTIONS) break;
  }
  return mentions;
}

/** As names are compared here: `save-note` and `save_note` are one. */
export function fold(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

function namesOf(tools: readonly ToolFace[]): Names {
  const known = KNOWN.get(tools);
  if (known !== undefined) return known;
  const servers = new Map<string, Set<string>>();
  for (const { name, server } of tools) {
    const owners = servers.get(fold(name)) ?? new Set<string>();
    owners.add(server);
    servers.set(fold(name), owners);
  }
  const names = { servers };
  KNOWN.set(tools, names);
  return names;
}
