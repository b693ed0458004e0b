import type { Span } from '../../../core/json-scan.ts';

/**
 * Parts of a text that make a client fetch something, and so can carry data out: images and links of Markdown, HTML that
 * loads or runs. Markdown images are how conversations were stolen from assistants (J. Rehberger, "Bing Chat: data
 * exfiltration", 2023; EchoLeak, CVE-2025-32711).
 */
export interface Carrier extends Span {
  readonly kind: 'image' | 'link' | 'html' | 'address';
  readonly url: string;
  /** Fetched when somebody follows it, not by being shown. */
  readonly isFollowed: boolean;
  /** `blank`: it has a place to be filled in, e.g. `?q=[DATA]`; `data`: a long or random part; `none`. */
  readonly carries: 'blank' | 'data' | 'none';
  /** HTML that runs something by itself. */
  readonly runs: boolean;
}

const MAX_CARRIERS = 256;
/** Brackets looked at: each costs up to a whole address. */
const MAX_TRIES = 2_000;
const MAX_URL = 2_048;
const MAX_LABEL = 512;
/** Tags that load, run or send. */
const HTML =
  /<(img|iframe|script|form|object|embed|link|meta|svg|video|audio|source|base|body|input|button|a|area|div|span|table|td|p)\b(?:[^<>]|(?<==)<[\w .-]{1,60}>){0,2048}>?/gi;
const LOADS =
  /\b(?:src|srcset|href|action|formaction|data|poster|background|content|xlink:href)\s{0,4}=\s{0,4}(?:"([^"]{0,2048})|'([^']{0,2048})|([^\s"'>]{1,2048}))/gi;
const FAR = /^(?:https?:)?\/\/|;\s{0,4}url=\s{0,4}["']?https?:/i;
const RUNS = /\son[a-z]{3,20}\s{0,4}=|javascript:|vbscript:|srcdoc\s{0,4}=/i;
const STYLE = /url\(\s{0,4}["']?(https?:[^)"']{1,2048})/gi;

export function findCarriers(text: string): readonly Carrier[] {
  const found: Carrier[] = [];
  if (text.includes('](')) addMarkdown(text, found);
  if (text.includes(']:')) addReferences(text, found);
  if (text.includes('<')) addHtml(text, found);
  if (text.includes('url(')) addStyles(text, found);
  return found.sort((a, b) => a.start - b.start);
}

function addMarkdown(text: string, found: Carrier[]): void {
  let tries = 0;
  for (let at = text.indexOf(']('); at >= 0 && tries++ < MAX_TRIES; at = text.indexOf('](', at + 2)) {
    if (found.length >= MAX_CARRIERS) return;
    if (!mayBeFar(text, at + 2)) continue;
    const end = endOfTarget(text, at + 2);
    if (end === undefined) continue;
    const url =
      text
        .slice(at + 2, end)
        .trim()
        .split(/\s(?=["'(])/, 1)[0]
        ?.replace(/^<|>$/g, '') ?? '';
    const runs = RUNNING.test(url);
    if (!runs && !FAR_URL.test(url)) continue;
    const open = startOfLabel(text, at);
    if (open === undefined) continue;
    const isImage = text[open - 1] === '!';
    const carries = whatCarries(url);
    found.push({
      start: isImage ? open - 1 : open,
      end: end + 1,
      kind: isImage ? 'image' : 'link',
      url,
      isFollowed: !isImage,
      carries,
      runs,
    });
  }
}

const RUNNING = /^(?:javascript|vbscript):|^data:text\/html/i;
const FAR_URL = /^(?:https?:)?\/\//i;

/** Most links lead to places on the same server, and are told by how they begin from those that are looked for. */
function mayBeFar(text: string, from: number): boolean {
  let at = from;
  while (at < from + MAX_URL && /[\s<]/.test(text.charAt(at))) at++;
  const first = text.charAt(at).toLowerCase();
  return first === '/' ? text[at + 1] === '/' : first !== '' && 'hjvd'.includes(first);
}

/** `[label]: address`, where `![…][label]` or `[…][label]` shows it. */
const REFERENCE = / {0,3}\[([^\]\n]{1,100})\]:[ \t]{0,4}<?((?:https?:)?\/\/(?:[^\s<>]|<[\w-]{1,60}>){1,2048})/iy;
/** Behind its colon no more stands before the host: most texts have such colons in lists and programs. */
const MAX_BEFORE_HOST = 13;
/** Before its colon there is no more of the line. */
const MAX_REFERENCE = 106;

function addReferences(text: string, found: Carrier[]): void {
  let shown: ReadonlySet<string> | undefined;
  for (let at = text.indexOf(']:'); at >= 0; at = text.indexOf(']:', at + 2)) {
    if (!text.slice(at + 2, at + 2 + MAX_BEFORE_HOST).includes('//')) continue;
    const before = Math.max(0, at - MAX_REFERENCE);
    const line = text.slice(before, at).lastIndexOf('\n') + 1;
    if (line === 0 && before > 0) continue;
    REFERENCE.lastIndex = before + line;
    const match = REFERENCE.exec(text);
    if (match === null) continue;
    if (found.length >= MAX_CARRIERS) return;
    const [whole, label = '', url = ''] = match;
    shown ??= labelsOfImages(text);
    const kind = shown.has(label.toLowerCase()) ? 'image' : 'link';
    const { index } = match;
    const [carries, isFollowed] = [whatCarries(url), kind === 'link'];
    found.push({ start: index, end: index + whole.length, kind, url, isFollowed, carries, runs: false });
    at = Math.max(at, index + whole.length - 2);
  }
}

/** Brackets looked at for labels of images. */
const MAX_SHOWN = 10_000;

/** The labels that images are shown by, `![label]` and `![...][label]`, in small letters. */
function labelsOfImages(text: string): ReadonlySet<string> {
  const labels = new Set<string>();
  let tries = 0;
  for (const sign of ['![', '][']) {
    for (let at = text.indexOf(sign); at >= 0 && tries++ < MAX_SHOWN; at = text.indexOf(sign, at + 1)) {
      const open = sign === '![' ? at + 1 : (startOfLabel(text, at) ?? 0);
      const label = /^[^\]\n]{1,100}(?=\])/.exec(text.slice(at + 2, at + MAX_REFERENCE))?.[0];
      if (label !== undefined && text[open - 1] === '!') labels.add(label.toLowerCase());
    }
  }
  return labels;
}

/** The closing parenthesis of a link; parentheses within it come in pairs. */
function endOfTarget(text: string, from: number): number | undefined {
  let depth = 0;
  const stop = Math.min(text.length, from + MAX_URL);
  for (let i = from; i < stop; i++) {
    const one = text[i];
    if (one === '\n') return undefined;
    if (one === '(') depth++;
    else if (one === ')' && depth-- === 0) return i;
  }
  return undefined;
}

function startOfLabel(text: string, close: number): number | undefined {
  let depth = 0;
  for (let i = close - 1; i >= 0 && i > close - MAX_LABEL; i--) {
    const one = text[i];
    if (one === ']') depth++;
    else if (one === '[' && depth-- === 0) return i;
  }
  return undefined;
}

function addHtml(text: string, found: Carrier[]): void {
  for (const match of text.matchAll(HTML)) {
    if (found.length >= MAX_CARRIERS) return;
    const tag = match[0];
    const far = [...tag.matchAll(LOADS)].map((one) => one[1] ?? one[2] ?? one[3] ?? '').filter((one) => FAR.test(one));
    // An address that carries something must not hide behind one that does not.
    const url = far.find((one) => whatCarries(one) !== 'none') ?? far[0] ?? '';
    const runs = RUNS.test(tag) || /^<script/i.test(tag);
    if (!runs && far.length === 0) continue;
    const [carries, isFollowed] = [whatCarries(url), /^<(?:a|area)\b/i.test(tag)];
    found.push({ start: match.index, end: match.index + tag.length, kind: 'html', url, isFollowed, carries, runs });
  }
}

function addStyles(text: string, found: Carrier[]): void {
  for (const match of text.matchAll(STYLE)) {
    if (found.length >= MAX_CARRIERS) return;
    const url = match[1] ?? '';
    const end = match.index + match[0].length;
    const carries = whatCarries(url);
    found.push({ start: match.index, end, kind: 'html', url, isFollowed: false, carries, runs: false });
  }
}

/** `[QUERY]`, `{data}`, `{{summary}}`, `<secret>`, `$DATA`, `USER_DATA`, with brackets as they are or escaped. */
const BLANK =
  /(?:\[|%5[bB])[A-Za-z][\w .-]{1,60}(?:\]|%5[dD])|(?:\{|%7[bB]){1,2}\s?[A-Za-z][\w .-]{1,60}(?:\}|%7[dD])|(?:<|%3[cC])[A-Za-z][\w .-]{1,60}(?:>|%3[eE])|\$\{?[A-Z][A-Z_]{2,40}|=[A-Z][A-Z]{2,30}(?:_[A-Z]{2,30}){0,4}(?=[&#)\s]|$)/;
const MAY_BE_BLANK = /[[{<%$=]/;
/** A name that no interface gives to what it asks for by its address. */
const SAID_NAME =
  /^[{[<\s]*(?:(?:\w{1,20}[ _.-]){0,3}(?:(?:conversation|chat)(?:s|[ _-]?(?:history|logs?|transcript|messages|summary))?|system[ _-]?prompt|user[ _-]?(?:data|secrets?|messages)|secrets?|all[ _-]?data)|DATA|SUMMARY(?: OF [\w ]{1,40})?|HISTORY|CONTEXT|MESSAGES?)[}\]>\s]*$/i;

/** Has it a place for what was said, and not for what programs fill in? */
export function asksForSaid(url: string): boolean {
  const plain = url
    .slice(0, MAX_URL)
    .replace(/%(?:5[bB]|7[bB]|3[cC])/g, '{')
    .replace(/%(?:5[dD]|7[dD]|3[eE])/g, '}');
  return [...plain.matchAll(NAMED_BLANK)].some(([name]) => SAID_NAME.test(name.replace(/%20|\+/g, ' ')));
}

const NAMED_BLANK =
  /[[{<]{1,2}\s?[A-Za-z][^[\]{}<>\s][\w %+.-]{0,60}[}\]>]{1,2}|(?<==)[A-Z][A-Z]{2,30}(?:_[A-Z]{2,30}){0,4}(?=[&#)\s]|$)/g;
const LONG_VALUE = 200;
const RANDOM_VALUE = 40;

/** What an address could take along, in its query, its fragment, its path or the names before its domain. */
export function whatCarries(url: string): Carrier['carries'] {
  const tail = url.slice(0, MAX_URL).replace(/^(?:https?:)?\/\//i, '');
  const slash = tail.search(/[/?#]/);
  const [host, rest] = slash < 0 ? [tail, ''] : [tail.slice(0, slash), tail.slice(slash)];
  if ((MAY_BE_BLANK.test(rest) && BLANK.test(rest)) || /[[{<]/.test(host)) return 'blank';
  if (tail.length < RANDOM_VALUE) return 'none';
  const query = rest.search(/[?#]/);
  const values = query < 0 ? '' : rest.slice(query + 1);
  if (values.length >= LONG_VALUE) return 'data';
  const parts = [
    ...values.split(/[&=#;]/),
    ...rest.slice(0, query < 0 ? undefined : query).split('/'),
    ...host.split('.'),
  ];
  return parts.some((part) => part.length >= RANDOM_VALUE && isRandom(part)) ? 'data' : 'none';
}

/** Bits per character; words and dates stay below 4, encoded data above. */
const RANDOM_BITS = 4;

function isRandom(text: string): boolean {
  const counts = new Map<string, number>();
  for (const one of text) counts.set(one, (counts.get(one) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  // Hexadecimal cannot reach four bits per character.
  return bits >= RANDOM_BITS || (/^[0-9a-f]+$/i.test(text) && bits > 2.5);
}
