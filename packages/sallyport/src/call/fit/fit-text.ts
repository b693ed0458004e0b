import type { ByteSource } from '../../core/byte-source.ts';

export interface FittedText {
  readonly text: string;
  /** Characters and line feeds of the beginning and the end that are kept. */
  readonly head: number;
  readonly tail: number;
  readonly lines: number;
}

/** Of what a text may take, this share goes to its beginning. */
const HEAD = 0.75;

/**
 * The beginning and the end of a text within about `budget` bytes, cut between paragraphs, lines, sentences or words. A table in
 * lines keeps the line with the names of its columns.
 * @param say what stands in place of the rest, by the number of characters and lines that are kept
 */
export async function fitText(
  source: ByteSource,
  budget: number,
  say: (kept: { readonly characters: number; readonly lines: number }) => string,
): Promise<FittedText> {
  const headRoom = Math.floor(budget * HEAD);
  const begin = toWhole(await source.read(0, Math.min(headRoom, source.size)));
  const head = begin.slice(0, endOf(begin));
  const from = Math.max(Buffer.byteLength(head), source.size - (budget - headRoom));
  const rest = toWhole(await source.read(from, source.size));
  const start = startOf(rest);
  const header = await findTableHead(source, {
    at: from + Buffer.byteLength(rest.slice(0, start)),
    next: rest.slice(start, start + 1),
    floor: Buffer.byteLength(head),
  });
  const tail = rest.slice(start);
  const lines = countLines(head) + countLines(tail);
  const between = say({ characters: head.length + tail.length, lines });
  const text = `${head.trimEnd()}\n\n${between}\n\n${header}${tail}`;
  return { text, head: head.length, tail: tail.length, lines };
}

/** Without the half characters at both ends. */
function toWhole(bytes: Buffer): string {
  let [start, end] = [0, bytes.length];
  while (start < Math.min(4, end) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  let lead = end - 1;
  while (lead > start && end - lead < 4 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead--;
  const first = bytes[lead] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (end - lead < length) end = lead;
  return bytes.toString('utf8', start, end);
}

/** Ends of parts of a text, the best first, and how much of it may be lost for one. */
const ENDS: readonly (readonly [ends: readonly string[], share: number])[] = [
  [['\n\n'], 0.15],
  [['\n'], 0.4],
  [['. ', '! ', '? ', '。', '！', '？'], 0.15],
  [[' ', '，', '、'], 0.1],
];

/** Where the last whole part of a beginning ends. */
function endOf(text: string): number {
  for (const [ends, share] of ENDS) {
    const at = Math.max(...ends.map((end) => lastIndexAfter(text, end)));
    if (at >= text.length * (1 - share)) return isQuoted(text, at) ? text.length : at;
  }
  return text.length;
}

function lastIndexAfter(text: string, end: string): number {
  const at = text.lastIndexOf(end);
  return at < 0 ? -1 : at + end.length;
}

/** A line feed inside the quotes of a field of a CSV ends no row: then the cut is visible in the field. */
function isQuoted(text: string, at: number): boolean {
  const [first = ''] = text.slice(0, 4_096).split('\n', 1);
  if (!first.includes(',') && !first.includes(';') && !first.includes('\t')) return false;
  let quotes = 0;
  for (let i = text.indexOf('"'); i >= 0 && i < at; i = text.indexOf('"', i + 1)) quotes++;
  return quotes % 2 === 1;
}

/** Where the first whole part of an end begins. */
function startOf(text: string): number {
  for (const [ends, share] of ENDS) {
    const found = ends.map((end) => text.indexOf(end)).filter((at) => at >= 0);
    if (found.length === 0) continue;
    const at = Math.min(...found);
    const end = ends.find((one) => text.startsWith(one, at)) ?? '';
    if (at + end.length <= text.length * share) return at + end.length;
  }
  return 0;
}

/** How far back the beginning of a table is looked for. Bytes. */
const TABLE = 262_144;

/** The two lines over a Markdown table (GFM 4.10) whose rows begin the end; empty: it begins in none, or its head is there. */
async function findTableHead(
  source: ByteSource,
  { at, next, floor }: { readonly at: number; readonly next: string; readonly floor: number },
): Promise<string> {
  if (next !== '|') return '';
  const from = Math.max(floor, at - TABLE);
  const lines = toWhole(await source.read(from, at)).split('\n');
  // Behind the last line feed stands nothing.
  let first = lines.length - 1;
  while (first > 0 && lines[first - 1]?.startsWith('|') === true) first--;
  const [names, rule] = [lines[first], lines[first + 1]];
  const isHead = names !== undefined && rule !== undefined && /^[|:\- \t\r]{3,}$/.test(rule);
  return isHead ? `${names}\n${rule}\n` : '';
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
