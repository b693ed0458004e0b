import { isNeverMeant } from '../../core/public-address.ts';
import type { Reading } from './key-material.ts';

/** RFC 1918, link-local (RFC 3927), shared by carriers and by networks over the Internet (RFC 6598). */
const FOUR =
  /(?<![\w.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d{1,3}\.\d{1,3}(?!\w|\.\w|\/255\.)/g;
/** Unique local (RFC 4193) and link-local (RFC 4291). */
const SIX = /(?<![\w:./+-])f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]):[0-9a-f:]{1,34}(?![\w:])/gi;
/** How many bits name the network: a range names no host, nor does one with a mask. */
const LENGTH = /\/(\d{1,3})(?![\w/-]|\.\w)/y;
const VERSION =
  /(?:version|release|build|revision|section|clause|chapter|ver|rev|§)["']?[ \t]{0,2}[:=]?[ \t]{0,2}["']?$/i;

/**
 * Names and addresses of hosts in networks of one's own. What is the same in everybody's network names no host: loopback, the
 * metadata services of clouds, names that containers give their machine.
 *
 * @param text as `toPlainSigns` gives it
 */
export function findHostAddresses(text: string, found: Reading[]): void {
  for (const { 0: address, index: start } of text.matchAll(FOUR)) {
    if (isNeverMeant(address) || VERSION.test(text.slice(Math.max(0, start - 16), start))) continue;
    const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    const length = lengthAt(text, start + address.length);
    if (length === undefined || length > 30 || value % 2 ** (32 - length) !== 0)
      found.push({ kind: 'private-address', start, end: start + address.length });
  }
}

/** Addresses of IPv6, and names. @param field the name the whole text is the value of */
export function findInnerHosts(text: string, field: string | undefined, found: Reading[]): void {
  for (const { 0: written, index: start } of text.matchAll(SIX)) {
    // A colon behind it is one of the sentence.
    const address = written.replace(/(?<=[0-9a-f]):$/i, '');
    // The part that names the host is empty.
    if (isNeverMeant(address) || address.endsWith('::')) continue;
    found.push({ kind: 'private-address', start, end: start + address.length });
  }
  findHostNames(text, field, found);
}

function lengthAt(text: string, at: number): number | undefined {
  LENGTH.lastIndex = at;
  const length = LENGTH.exec(text)?.[1];
  return length === undefined ? undefined : Number(length);
}

/** Names that nobody resolves outside: RFC 6762, RFC 8375, ICANN's `.internal`, and what everybody uses. */
const SUFFIX = /\.(?:internal|intranet|local|localdomain|corp|lan|home\.arpa)(?![\w-]|\.\w| ?\()/gi;
const LONGEST = 253;
const LABELS = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?){0,8}$/i;
const EVERYWHERE =
  /^(?:metadata\.google\.internal|instance-data\.ec2\.internal|[\w-]{1,63}\.docker\.internal|host\.containers\.internal|kubernetes\.default\.svc\.cluster\.local)$/i;

function findHostNames(text: string, field: string | undefined, found: Reading[]): void {
  for (const { 0: suffix, index } of text.matchAll(SUFFIX)) {
    let start = index;
    while (start > 0 && index - start < LONGEST && /[A-Za-z0-9.-]/.test(text.charAt(start - 1))) start -= 1;
    const labels = text.slice(start, index);
    // A part of a path or of a name in code; behind two slashes a host begins.
    if (!LABELS.test(labels) || /[\w$\\]$|(?:^|[^/])\/$/.test(text.slice(Math.max(0, start - 2), start))) continue;
    const end = index + suffix.length;
    if (!EVERYWHERE.test(text.slice(start, end)) && isHost({ text, field, start, end }, labels))
      found.push({ kind: 'private-address', start, end });
  }
}

interface NamePlace {
  readonly text: string;
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** What programs call their own parts. */
const IN_CODE =
  /^(?:com|org|net|io|java|javax|jdk|sun|kotlin|android|dev|google|this|self|window|module|threading)(?:\.|$)/i;
const BEFORE =
  /(?:\/\/|@|\b(?:host|hostname|server|node|domain|fqdn|endpoint|proxy|dns|ssh|scp|ping|curl|telnet|on|at|to|via)\W{1,4})$/i;
const FIELD = /host|server|domain|endpoint|address|fqdn|^(?:url|uri|node|proxy)$/i;

/** `utils.internal` and `settings.local` are names in code as well: what stands around it, or its form, must say more. */
function isHost({ text, field, start, end }: NamePlace, labels: string): boolean {
  if (/\.(?:svc\.cluster\.local|home\.arpa|localdomain)$/i.test(text.slice(start, end))) return true;
  if (/^:\d{2,5}(?!\d)/.test(text.slice(end, end + 7)) || /[\d-]/.test(labels)) return true;
  if (IN_CODE.test(labels)) return false;
  if (labels.includes('.') && /(?:intranet|corp|lan)$/i.test(text.slice(start, end))) return true;
  if (field !== undefined && end - start === text.length && FIELD.test(field)) return true;
  return BEFORE.test(text.slice(Math.max(0, start - 20), start));
}
