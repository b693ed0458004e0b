import type { ArgumentDanger } from '../../config/argument-safety-section.ts';
import { toDestination } from '../destination.ts';
import { scanText } from '../scan/scan-text.ts';
import type { PlacedText } from '../secrets/walk-strings.ts';
import { carriedBy, decode, hostsOf, toAddress, urlsIn, withoutBreaks } from './addresses.ts';
import { holdsCommand, isDisguised, runsForeignCode } from './commands.ts';
import { carriesData } from './hosts.ts';
import { climbsOut, hasEncodedClimb, isSensitivePath, isWithin, SECRET_VARIABLE } from './paths.ts';

/** What no honest argument holds. */
export type Harm = 'metadataAddress' | 'headerBreak' | 'nul' | 'encodedTraversal';

export interface FoundDanger {
  readonly danger: ArgumentDanger | Harm;
  readonly pointer: string;
}

export interface DangerOptions {
  /** The tool runs code by its purpose: commands belong there. */
  readonly runsCode: boolean;
  readonly roots: readonly string[];
  /** Whether texts are read for orders to a model, which costs more than all the rest. */
  readonly readsTexts: boolean;
  /** Nothing but what is never harmless matters. */
  readonly harmsOnly?: boolean;
}

/** Words in names of parameters; camel case and underscores are read the same. */
const PATH_NAME =
  /path|file|dir(?:ectory)?|folder|location|source|destination|\bsrc\b|\bdest\b|target|root|cwd|workspace|路径|文件|目录/i;
const URL_NAME = /ur[il]|href|link|endpoint|webhook|callback|website|网址|链接/i;
const HOST_NAME = /host|server|domain|address|\bip\b|\bip_|_ip\b|ipaddr|主机|域名/i;
const HEADER_NAME =
  /^(?:user[_-]?agent|referr?er|cookie|authorization|accept(?:[_-](?:encoding|language|charset))?|content[_-]?type|x-[\w-]+|etag)$/i;
/** Fields that may be a header: the title of a letter, the columns of a table and the start of a journey are not. */
const MAYBE_HEADER_NAME =
  /^(?:subject|to|from|cc|bcc|reply[_-]?to|sender|recipients?|name|display[_-]?name|filename|origin|accept[_-]\w+)$/i;
const VARIABLE_NAME = /^(?:env|variable|var|name|key|env_?(?:var|name)|variable_?name|环境变量)$/i;
/** What stands here is run, whatever the tool is called. */
const COMMAND_NAME = /^(?:commands?|cmd|command_?line|shell|bash|script|exec|args|argv|命令|脚本)$/i;
/** Here people and models write whole texts, and texts quote commands. */
const PROSE_NAME =
  /content|body|text|message|description|prompt|comment|title|markdown|html|template|code|diff|patch|query|question|note|summary|input|data|sql|script|command|cmd|args|expression|正文|内容|描述/i;
/** What a text that is one address or path looks like. */
const WHOLE_URL = /^\s{0,8}(?:url:)?[a-z][a-z0-9+.-]{1,15}:[\\/]{2}\S{1,8192}\s{0,8}$/i;
const WHOLE_PATH =
  /^\s{0,8}(?:file:\/\/|~?[\\/]|\.{1,2}[\\/]|[A-Za-z]:[\\/]|(?:\.{2}|%2e)[\w.%]{0,16}(?:[\\/]|%2f|%5c))/i;

/** Anything a rule could care for; most texts have none of it. */
const ANYTHING = /[\0\r\n%\\`$;|&~/]|\.\.|[.@]\w|[^\s!-~]|^\d{6,10}$|^0x|(?:localhost|metadata)$|[A-Z]_[A-Z]|:/;

/** What a text with something that is never harmless has one of; most have none. */
const HARMFUL = /[\0%\t\r\n]|:[\\/]|[^\s!-~]|\d{3}|0x|::|metadata|instance-data|[\da-f]{8}[.-]/i;

/** Every danger of one text of the arguments. Linear; a text that cannot hold any costs one test. */
export function findDangers(placed: PlacedText, given: DangerOptions): readonly FoundDanger[] {
  const { text, pointer, field } = placed;
  if (given.harmsOnly === true && !HARMFUL.test(text)) return NONE;
  const options = given.runsCode || !COMMAND_NAME.test(field) ? given : { ...given, runsCode: true };
  const isOrder = options.readsTexts && givesOrders(text);
  if (!isOrder && !options.runsCode && !ANYTHING.test(text) && !VARIABLE_NAME.test(field)) return NONE;
  const found = new Set<ArgumentDanger | Harm>();
  if (isOrder) found.add('instructions');
  if (text.includes('\0') && cutsShort(placed)) found.add('nul');
  if (breaksHeader(placed)) found.add('headerBreak');
  lookAtAddresses(placed, options, found);
  if (text.length <= MAX_READ) {
    lookAtPaths(placed, options, found);
    lookAtCommands(placed, options, found);
  }
  return found.size === 0 ? NONE : [...found].map((danger) => ({ danger, pointer }));
}

const NONE: readonly FoundDanger[] = Object.freeze([]);
/** Addresses, paths and commands are short; longer texts are content. */
const MAX_READ = 16_384;

/**
 * Programs in C stop reading names, addresses and headers at NUL, and checks before them do not (CWE-158). In the content
 * of a file or an unnamed text it is a character: lists of `find -print0` and UTF-16 have it.
 */
function cutsShort({ text, pointer, field }: PlacedText): boolean {
  if (text.length > MAX_READ) return false;
  const names = [PATH_NAME, URL_NAME, HOST_NAME, HEADER_NAME, MAYBE_HEADER_NAME, VARIABLE_NAME, COMMAND_NAME];
  if (names.some((name) => name.test(field)) && !(PROSE_NAME.test(field) && !COMMAND_NAME.test(field))) return true;
  return WHOLE_URL.test(text) || WHOLE_PATH.test(text) || NAME_OF_FILE.test(text) || /headers\//i.test(pointer);
}

/** `shell.php\0.png`, `x.txt\0` */
const NAME_OF_FILE = /^[^\0\s]{1,255}\.\w{1,8}\0(?:\.\w{1,8})?$/;

/** A worm of prompts travels in what one agent writes and another one reads. */
function givesOrders(text: string): boolean {
  return text.length >= 20 && text.length <= 65_536 && scanText(text).findings.some(({ tier }) => tier === 'block');
}

const NEXT_HEADER =
  /[\r\n]\s{0,4}(?:b?cc|to|from|subject|reply-to|content-type|mime-version|set-cookie|cookie|host|authorization|x-[\w-]{1,32}):/i;
const NEXT_IN_URL =
  /(?:[\r\n]|%0d%0a|%0a|%0d)\s{0,4}(?:set-cookie|location|host|content-(?:length|type)|transfer-encoding|authorization|cookie|http\/1|x-[\w-]{1,32}|b?cc|to|from)(?::|%3a|\/1)/i;
/** Links that fill in a letter or an appointment carry its lines: `…?body=Hello%0AFrom: Ada`. */
const WRITTEN_TEXT =
  /[?&](?:text|body|details?|description|message|content|notes?|comment|q|query|summary)=[^&#\r\n]{0,8192}/gi;

/** CR or LF in the value of a header starts the next header (CWE-113, CWE-93). */
function breaksHeader({ text, pointer, field }: PlacedText): boolean {
  if (!/[\r\n]|%0[ad]/i.test(text)) return false;
  // An element of a list is a column of a table as often.
  const isNamed = !/\/\d{1,9}$/.test(pointer);
  const isHeader = HEADER_NAME.test(field) || (isNamed && /\/[\w-]{0,32}headers\/[^/]{1,256}$/i.test(pointer));
  if (isHeader && /[\r\n]/.test(text.trimEnd())) return true;
  if ((MAYBE_HEADER_NAME.test(field) || /headers?\//i.test(pointer)) && NEXT_HEADER.test(text)) return true;
  const isUrl = WHOLE_URL.test(text) || (URL_NAME.test(field) && !/\s/.test(text.trim()));
  return (
    (isUrl || WHOLE_URL.test(text.split(/[\r\n]/, 1)[0] ?? '')) &&
    text.length <= MAX_READ &&
    NEXT_IN_URL.test(text.replace(WRITTEN_TEXT, ''))
  );
}

function lookAtAddresses(
  { text, field }: PlacedText,
  { runsCode }: DangerOptions,
  found: Set<ArgumentDanger | Harm>,
): void {
  const address = toAddress(text);
  const urls = new Set(address === undefined ? [] : [address, ...carriedBy(address)]);
  const isShort = text.length <= MAX_READ;
  const holdsUrls = address !== undefined || URL_NAME.test(field) || (runsCode && /:[\\/]/.test(text));
  if (isShort && holdsUrls) for (const url of urlsIn(text)) urls.add(url);
  for (const url of urls) {
    for (const host of hostsOf(url)) note(host, found);
    if (carriesData(WRITTEN_HOST.exec(url)?.[1] ?? '')) found.add('dataInHost');
    if (isEncodedTwice(url)) found.add('nestedEncoding');
  }
  if (urls.size > 0 || !isShort || !(HOST_NAME.test(field) || URL_NAME.test(field))) return;
  const bare = withoutBreaks(text).trim();
  if (bare === '' || bare.length > 256 || /\s/.test(bare)) return;
  for (const host of hostsOf(`http://${bare.replace(/^\/\//, '')}`)) note(host, found);
  if (carriesData(bare)) found.add('dataInHost');
}

const WRITTEN_HOST = /^[a-z][\w+.-]*:[\\/]*(?:[^/?#@]*@)?([^/?#:]*)/i;

function note(host: string, found: Set<ArgumentDanger | Harm>): void {
  const destination = toDestination(host);
  if (destination === 'metadata') found.add('metadataAddress');
  else if (destination === 'private') found.add('privateAddress');
}

/** Letters and digits need no encoding (RFC 3986 section 2.3); who encodes them twice hides them. */
function isEncodedTwice(url: string): boolean {
  if (!/%25/.test(url)) return false;
  let at = url;
  for (let round = 0; round < 4; round++) {
    if (round > 0 && /%(?:3[0-9]|[46][1-9a-f]|[57][0-9a])/i.test(at)) return true;
    const decoded = decode(at);
    if (decoded === at) return false;
    at = decoded;
  }
  return true;
}

function lookAtPaths({ text, field }: PlacedText, options: DangerOptions, found: Set<ArgumentDanger | Harm>): void {
  const { roots, runsCode } = options;
  if (VARIABLE_NAME.test(field) && SECRET_VARIABLE.test(text)) found.add('sensitivePath');
  const isUrl = WHOLE_URL.test(text) && !/^\s{0,8}file:/i.test(text);
  const isPath =
    !isUrl && text.length <= 4_096 && !/[\n]/.test(text) && (WHOLE_PATH.test(text) || PATH_NAME.test(field));
  if (isPath || isUrl) {
    const path = isUrl ? text.replace(/[?#].*$/s, '') : text;
    if (hasEncodedClimb(path)) found.add('encodedTraversal');
    const named = isUrl
      ? /[?&](?:file|path|page|doc|document|template|include|dir|folder|filename)=([^&#]{1,2048})/i.exec(text)?.[1]
      : undefined;
    if (named !== undefined && hasEncodedClimb(named)) found.add('encodedTraversal');
  }
  if (isPath) {
    const path = text.trim().replace(/^file:\/\//i, '');
    if (climbsOut(path) >= 2) found.add('traversal');
    if (isSensitivePath(path)) found.add('sensitivePath');
    if (roots.length > 0 && isOutside(path, roots)) found.add('outsideRoots');
    if (/%00|\0/.test(path)) found.add('nul');
  } else if (runsCode && isSensitivePath(text)) found.add('sensitivePath');
}

function isOutside(path: string, roots: readonly string[]): boolean {
  if (/^~/.test(path)) return true;
  const isAbsolute = /^(?:[A-Za-z]:)?[\\/]/.test(path);
  return isAbsolute ? !isWithin(path, roots) : climbsOut(path) > 0;
}

function lookAtCommands(
  { text, field }: PlacedText,
  { runsCode }: DangerOptions,
  found: Set<ArgumentDanger | Harm>,
): void {
  if (runsCode) {
    if (isDisguised(text)) found.add('disguisedCommand');
    if (runsForeignCode(text)) found.add('command');
  } else if (text.length <= 2_048 && !PROSE_NAME.test(field) && holdsCommand(text)) found.add('command');
}
