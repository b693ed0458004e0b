import type { Span } from '../../../core/json-scan.ts';
import type { Mark } from '../../decode/unseen.ts';
import type { TextReading } from '../scan-text.ts';
import type { Carrier } from './find-carriers.ts';

interface Edit extends Span {
  readonly text: string;
  readonly says: string;
}

/** A text after cleaning. */
export interface Cleaned {
  readonly cleaned: string;
  /** One line for each span that was rewritten: what, and at which character. */
  readonly changes: readonly string[];
}

/** The same text where nothing that was found is fetched, run or unseen any more; every other character stays as it was. */
export function cleanText(text: string, { marks, carriers }: Pick<TextReading, 'marks' | 'carriers'>): Cleaned {
  const edits: Edit[] = [...carriers.map((one) => toEdit(text, one)), ...marks.map((one) => toSpelled(text, one))].sort(
    (a, b) => a.start - b.start,
  );
  let cleaned = '';
  let at = 0;
  const changes: string[] = [];
  for (const edit of edits) {
    // A carrier within a carrier is text already.
    if (edit.start < at) continue;
    cleaned += text.slice(at, edit.start) + edit.text;
    at = edit.end;
    changes.push(`${edit.says} at character ${edit.start}`);
  }
  return { cleaned: cleaned + text.slice(at), changes };
}

const SAYS: Readonly<Record<Carrier['kind'], string>> = {
  image: 'an image that would be fetched is shown as text',
  link: 'a link is shown as text',
  html: 'a piece of HTML is shown as text',
  address: 'an address is shown as text',
};

function toEdit(text: string, { start, end, kind }: Carrier): Edit {
  return { start, end, text: disarm(text.slice(start, end), kind), says: SAYS[kind] };
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

function toSpelled(text: string, { start, end, kind, decoded }: Mark): Edit {
  const part = text.slice(start, end);
  const says = 'characters that nobody sees are spelled out';
  if (kind === 'tag' || kind === 'variation')
    return { start, end, text: `[hidden: ${JSON.stringify(decoded.replace(UNSEEN, ' ').slice(0, 500))}]`, says };
  return { start, end, text: [...part].map((one) => (UNSEEN.test(one) ? nameOf(one) : one)).join(''), says };
}

const UNSEEN = /[\p{Cc}\p{Cf}]/u;

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // U+2400 and on are pictures of the control characters.
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
