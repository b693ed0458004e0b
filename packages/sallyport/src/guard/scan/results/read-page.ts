import type { Finding } from '../../../core/finding.ts';
import { isObject, type Json, type JsonObject, member } from '../../../core/json.ts';
import { asksForSecret, namesSecret } from '../../approve/secret-words.ts';
import { readText } from '../scan-text.ts';
import { textOfBytes } from './bytes-text.ts';
import { findCarriers } from './find-carriers.ts';
import { Findings, isBlock, type Treatment } from './findings.ts';
import { readFixed } from './read-fixed.ts';
import { showPart } from './show-part.ts';

/** Raised with each rule, so that pages are read again. */
export const PAGE_RULES_VERSION = 'pages-2';

const MAX_FINDINGS = 32;
/** Of the scripts only what no program needs: orders to a model, and characters nobody sees. */
const IN_SCRIPTS: ReadonlySet<string> = new Set(['override-instructions', 'override-user', 'hidden-text']);
/** A page runs scripts, and templates have places to be filled in. */
const OF_PAGES: ReadonlySet<string> = new Set(['html-that-runs', 'address-to-fill-in']);
const FIELD = /<(?:input|textarea)\b[^<>]{0,1024}/gi;
const NAMES =
  /\b(?:name|id|placeholder|aria-label|title|autocomplete)\s{0,4}=\s{0,4}(?:"([^"]{0,200})|'([^']{0,200})|([^\s"'>]{1,200}))/gi;
const PASSWORD =
  /\btype\s{0,4}=\s{0,4}["']?password\b|\bautocomplete\s{0,4}=\s{0,4}["']?(?:cc-|one-time-code|current-password)/i;
const LABEL = /<label\b[^<>]{0,512}>([^<]{1,200})/gi;
/** Marks of a place that a person or a model fills in, not a program: `[DATA]`, `=USER_DATA`. */
const BLANK = /(?:\[|%5[bB])[A-Z][A-Z _-]{2,40}(?:\]|%5[dD])|=[A-Z][A-Z]{2,30}(?:_[A-Z]{2,30}){1,4}(?=[&#"'\s]|$)/;
/** What only this person's browser or host knows. */
const OWN = /\b(?:document\.cookie|localStorage|sessionStorage|indexedDB)\b/g;
const ADDRESS = /^https?:\/\/[^\s"'`<>${]{3,200}/;
/** It goes on with something that is put in. */
const PUT_IN = /^(?:["'`]\s{0,4}[+,]|\$\{)/;
/** Of a script before what is put into an address. Characters. */
const STATEMENT = 360;
const MAX_OWN = 1_000;

/**
 * Reads a page of a tool (MCP Apps). Scripts are its nature; orders to a model, forms that ask for secrets and addresses
 * that data leaves by are not.
 * @param result of `resources/read`
 */
export function readPage(result: JsonObject): readonly Finding[] {
  const contents = member(result, 'contents');
  const found: Finding[] = [];
  const add = (one: Finding) => {
    if (found.length < MAX_FINDINGS && !found.some(({ id, where }) => id === one.id && where === one.where))
      found.push(one);
  };
  for (const [i, part] of (Array.isArray(contents) ? (contents as readonly Json[]) : [contents]).entries()) {
    if (!isObject(part)) continue;
    const { text, blob, ...rest } = part;
    const beside = new Findings(ONLY_READ);
    readFixed(rest as JsonObject, `/contents/${i}`, beside);
    for (const finding of beside.all.filter(isBlock)) add(finding);
    const html = typeof text === 'string' ? text : typeof blob === 'string' ? textOfBytes(blob) : undefined;
    if (html !== undefined) readHtml(html, `/contents/${i}/${typeof text === 'string' ? 'text' : 'blob'}`, add);
  }
  return found;
}

/** Nothing of a page is changed. */
const ONLY_READ: Treatment = {
  ...{ server: '', item: undefined, mode: 'note', untrusted: false, ownHost: undefined, isLocal: () => false },
  // No link is judged here.
  resources: {} as Treatment['resources'],
};

function readHtml(html: string, where: string, add: (finding: Finding) => void): void {
  const { page, scripts } = splitScripts(html);
  for (const finding of readText(page).scan.findings) if (!OF_PAGES.has(finding.id)) add({ ...finding, where });
  for (const script of scripts) {
    for (const finding of readText(script).scan.findings)
      if (isBlock(finding) && IN_SCRIPTS.has(finding.id)) add({ ...finding, where, start: 0, end: 0 });
    const leaving = findLeaving(script);
    if (leaving !== undefined) add(toFinding(LEAVING, where, leaving));
  }
  for (const { url, kind } of findCarriers(page))
    if (kind !== 'link' && BLANK.test(url)) add(toFinding(LEAVING, where, url));
  const field = findSecretField(page);
  if (field !== undefined) add(toFinding(ASKING, where, field));
}

/** A statement that puts it into an address which leads elsewhere. */
function findLeaving(script: string): string | undefined {
  let left = MAX_OWN;
  for (const { index } of script.matchAll(OWN)) {
    if (left-- <= 0) return undefined;
    const before = script.slice(Math.max(0, index - STATEMENT), index);
    const said = before.slice(Math.max(before.lastIndexOf('http'), before.lastIndexOf(';'), before.lastIndexOf('\n')));
    const address = ADDRESS.exec(said)?.[0];
    if (address !== undefined && PUT_IN.test(said.slice(address.length))) return said;
  }
  return undefined;
}

function findSecretField(page: string): string | undefined {
  for (const { 0: tag } of page.matchAll(FIELD)) {
    if (PASSWORD.test(tag)) return tag;
    for (const [, one, other, bare] of tag.matchAll(NAMES)) if (namesSecret(one ?? other ?? bare ?? '')) return tag;
  }
  for (const [label, said = ''] of page.matchAll(LABEL)) if (namesSecret(said) || asksForSecret(said)) return label;
  return undefined;
}

/** The page without its scripts and styles, and the scripts. Each is looked at once. */
function splitScripts(html: string): { readonly page: string; readonly scripts: readonly string[] } {
  const scripts: string[] = [];
  let page = '';
  let at = 0;
  OPENING.lastIndex = 0;
  for (let open = OPENING.exec(html); open !== null; open = OPENING.exec(html)) {
    const isScript = open[1]?.toLowerCase() === 'script';
    const closing = isScript ? CLOSING_SCRIPT : CLOSING_STYLE;
    closing.lastIndex = OPENING.lastIndex;
    const close = closing.exec(html);
    page += html.slice(at, OPENING.lastIndex);
    const end = close?.index ?? html.length;
    if (isScript) scripts.push(html.slice(OPENING.lastIndex, end));
    at = end;
    OPENING.lastIndex = end;
    if (close === null) break;
  }
  return { page: page + html.slice(at), scripts };
}

const OPENING = /<(script|style)\b[^<>]{0,1024}>/gi;
const CLOSING_SCRIPT = /<\/script/gi;
const CLOSING_STYLE = /<\/style/gi;

const LEAVING = {
  id: 'page-carries-out',
  owasp: 'MCP10',
  why: 'It sends what only this person’s browser or conversation knows to another place.',
} as const;
const ASKING = {
  id: 'page-asks-for-secret',
  owasp: 'MCP01',
  why: 'It has a field for a password, a key or a card, which a page beside a conversation must not ask for.',
} as const;

function toFinding(rule: typeof LEAVING | typeof ASKING, where: string, said: string): Finding {
  return {
    ...rule,
    ...{ tier: 'block', where, start: 0, end: 0, evidence: showPart(said, 0, said.length) },
    fix: 'Read the page, and approve it with "sallyport pin approve" where this is meant.',
  };
}
