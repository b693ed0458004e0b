import { decodePercent } from '../../core/percent.ts';
import { readUrl, toScheme, WRAPPERS } from '../destination.ts';

const WRITTEN = /^(?:https?|wss?|ftp):[\\/]?(?![\\/])|^[a-z][a-z0-9+.-]{1,31}:[\\/]{2}/i;
const URL_INSIDE = /(?:[a-z][a-z0-9+.-]{1,31}:[\\/]{2}|(?:https?|wss?|ftp):[\\/])[^\s"'`<>|;)]{1,2048}/gi;
const MAX_URLS = 64;
/** Longer ones lead where their beginning does. */
const MAX_URL = 8_192;

/**
 * A text that is one address as a whole, without what parsers drop from it (WHATWG URL section 4.4): blanks and control
 * characters around it, tabs and line breaks within.
 */
export function toAddress(text: string): string | undefined {
  const head = trim(text.slice(0, MAX_URL));
  if (!/^[a-z][a-z0-9+.\t\r\n-]{0,63}:/i.test(head)) return undefined;
  const address = unwrap(withoutBreaks(head));
  return WRITTEN.test(address) && !/\s/.test(address) ? address : undefined;
}

/** Tabs and line breaks, which parsers drop. */
export function withoutBreaks(text: string): string {
  return /[\t\r\n]/.test(text) ? text.replace(/[\t\r\n]+/g, '') : text;
}

function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end);
}

function unwrap(uri: string): string {
  let inner = uri;
  for (let scheme = toScheme(inner); scheme !== undefined && WRAPPERS.has(scheme); scheme = toScheme(inner))
    inner = inner.slice(scheme.length + 1);
  return inner;
}

/** Every URL in a text, those that another one carries in its query included. */
export function urlsIn(text: string): readonly string[] {
  const urls: string[] = [];
  for (const [url] of text.matchAll(URL_INSIDE)) {
    if (urls.length >= MAX_URLS) break;
    urls.push(url, ...carriedBy(url));
  }
  return urls;
}

export function carriedBy(url: string): readonly string[] {
  const query = url.indexOf('?');
  if (query < 0) return [];
  const values = url.slice(query + 1, query + MAX_URL).split(/[&#]/, MAX_URLS);
  return values.flatMap((pair) => toAddress(decode(pair.slice(pair.indexOf('=') + 1))) ?? []);
}

/** Hosts that a URL leads to; the URLs of databases and brokers name several. */
export function hostsOf(url: string): readonly string[] {
  const several = /^([a-z][a-z0-9+.-]{1,31}:[\\/]{2}(?:[^\\/?#@]*@)?)([^\\/?#@]*,[^\\/?#@]*)/i.exec(url);
  const urls = several === null ? [url] : (several[2] ?? '').split(',', MAX_URLS).map((host) => `${several[1]}${host}`);
  return urls.flatMap((one) => {
    const host = readUrl(one)?.hostname;
    return host === undefined || (isNumber(host) && !/^[a-z0-9+.-]+:[\\/]{2}/i.test(url)) ? [] : [host];
  });
}

/** `http:404` is a status, `ws:8080` a port: without slashes, what would be an address in 0.0.0.0/8 is none. */
function isNumber(host: string): boolean {
  return /^0\.(?!0\.0\.0$)/.test(host);
}

/** What cannot be decoded stays as it is. */
export function decode(text: string): string {
  const plain = decodePercent(text);
  if (plain !== undefined) return plain;
  return text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
