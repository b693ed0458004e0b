import type { Span } from '../../../core/json-scan.ts';
import type { Mark } from '../../decode/unseen.ts';
import type { Carrier } from './find-carriers.ts';

export interface Dangers {
  readonly carriers: readonly Carrier[];
  readonly marks: readonly Mark[];
}

/** The same text where nothing is fetched, run or unseen any more: all of it is there to be read. */
export function neutralise(text: string, { carriers, marks }: Dangers): string {
  const edits: (Span & { readonly text: string })[] = [
    ...carriers.map((one) => ({
      start: one.start,
      end: one.end,
      text: disarm(text.slice(one.start, one.end), one.kind),
    })),
    ...marks.map((mark) => ({ start: mark.start, end: mark.end, text: spell(text.slice(mark.start, mark.end), mark) })),
  ].sort((a, b) => a.start - b.start);
  let out = '';
  let at = 0;
  for (const edit of edits) {
    // A carrier within a carrier is text already.
    if (edit.start < at) continue;
    out += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return out + text.slice(at);
}

function disarm(part: string, kind: Carrier['kind']): string {
  // Schemes are broken as analysts write them: read by people and models, opened by no program.
  const broken = part.replace(/(https?|javascript|vbscript):/gi, '$1[:]').replace(/\]\(\/\//g, '](//[:]');
  if (/^\s*\[[^\]]*\]:/.test(part)) return broken.replace(/(:\s*<?)\/\//, '$1[:]//');
  if (kind === 'image')
    return `[image not shown: ${broken.slice(1).replace(/^\[/, '').replace('](', ' - ').replace(/\)$/, '')}]`;
  if (kind === 'link') return `${broken.slice(1).replace('](', ' (')}`;
  return broken.replace(/^</, '&lt;');
}

/**
 * Which of the marks are made visible: what says something unseen or moves a cursor, always; what turns a line round or is
 * a bare control character only in a text with findings, since names and data may hold them.
 */
export function isDangerous({ kind, decoded }: Mark, isSuspect: boolean): boolean {
  if (kind === 'tag' || kind === 'ansi' || (kind === 'variation' && decoded !== '')) return true;
  return isSuspect && (kind === 'control' || kind === 'bidi');
}

function spell(part: string, { kind, decoded }: Mark): string {
  if (kind === 'tag' || kind === 'variation')
    return `[hidden: ${JSON.stringify(decoded.replace(UNSEEN, ' ').slice(0, 500))}]`;
  return [...part].map((one) => (UNSEEN.test(one) ? nameOf(one) : one)).join('');
}

const UNSEEN = /[\p{Cc}\p{Cf}]/u;

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // U+2400 and on are pictures of the control characters.
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
