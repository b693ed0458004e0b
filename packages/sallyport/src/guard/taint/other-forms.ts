import type { Role } from '../../config/taint-section.ts';

const MAX_FORMS = 16;
/** What stands around an address of mail is a name: "Bob <bob@x.example>". */
export const MAIL = /[^\s@<>",;:()]{1,64}@[^\s@<>",;:()]{1,190}\.[\p{L}\d-]{2,24}/gu;

/**
 * A value that decides something, in the one way in which it is compared, and then in others: a path also by its end and by the
 * directories around it. Whoever gave one of them gave the value. Empty for values that are written in one way only.
 */
export function otherForms(text: string, role: Role): readonly string[] {
  const plain = text.trim();
  if (plain === '' || plain.length > 512) return NONE;
  if (role === 'recipient') {
    const mails = plain.match(MAIL);
    return mails?.length === 1 ? [(mails[0] ?? '').toLowerCase()] : NONE;
  }
  if (role === 'address') return [toBareLink(plain)];
  if (role === 'amount') {
    const number = toBareNumber(plain);
    return number === undefined ? NONE : [number];
  }
  return role === 'path' ? pathForms(plain) : NONE;
}

const NONE: readonly string[] = Object.freeze([]);

/** Without scheme, "www." and a slash at the end; the host in lower case. */
export function toBareLink(text: string): string {
  const bare = text.replace(/^[a-z][a-z0-9+.-]{0,20}:\/\//i, '').replace(/^www\./i, '');
  const end = bare.search(/[/?#]/);
  const host = (end < 0 ? bare : bare.slice(0, end)).toLowerCase();
  return withoutLastSlashes(end < 0 ? host : host + bare.slice(end));
}

/** By hand: a pattern that ends in "slashes, then the end" is tried again from every slash. */
function withoutLastSlashes(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 47) end--;
  return text.slice(0, end);
}

/** "1,200.50", "$1200.5" and "1200.50 EUR" are one amount. */
function toBareNumber(text: string): string | undefined {
  const bare = text.replace(/^[-+]?\s{0,4}(?:\p{Sc}|[A-Za-z]{3}\s)\s{0,4}|\s{0,4}(?:\p{Sc}|[A-Za-z]{3})$/gu, '');
  const grouped = /^\d{1,3}(?:[,' ]\d{3}){1,5}(?:\.\d{1,8})?$/.test(bare) ? bare.replace(/[,' ]/g, '') : bare;
  if (!/^\d{1,15}(?:\.\d{1,8})?$/.test(grouped)) return undefined;
  return String(Number(grouped));
}

function pathForms(text: string): readonly string[] {
  const bare = toBarePath(text);
  const steps = bare.split('/').filter((step) => step !== '');
  if (steps.includes('..')) return [bare];
  const forms = [bare];
  for (let i = 1; i <= steps.length - 2 && forms.length < MAX_FORMS; i++) forms.push(steps.slice(i).join('/'));
  const start = bare.startsWith('/') ? '/' : '';
  for (let i = steps.length - 1; i >= 2 && forms.length < MAX_FORMS; i--)
    forms.push(start + steps.slice(0, i).join('/'));
  return forms;
}

/** Without "./", doubled slashes and one at the end. */
export function toBarePath(text: string): string {
  const path = text.replace(/^file:\/\//, '').replaceAll('\\', '/');
  return path
    .replace(/\/(?:\.?\/)+/g, '/')
    .replace(/^(?:\.\/)+/, '')
    .replace(/(?<=.)\/$/, '');
}
