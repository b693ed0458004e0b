import type { AuditSubject } from '../../core/audit.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { KeyedDigest } from './keyed-digest.ts';

/** What a record says of a request in words, with what stands for values instead of them. */
export interface HideValues {
  /** What was called. */
  target(name: string, method: string): string;
  reason(text: string, subject: Pick<AuditSubject, 'target' | 'tool' | 'said'>): string;
}

/** The operator asked for values. */
export const KEEP_VALUES: HideValues = { target: (name) => name, reason: (text) => text };

const SCHEME = /^[a-z][a-z0-9+.-]{1,31}:/i;
const URI = /^[a-z][a-z0-9+.-]{1,31}:\/\//i;
const HIDDEN = /^(?:[a-z][a-z0-9+.-]{1,31}:)?#[\w-]{43}$/i;
/** What these name is a URI in any case; tools, prompts and tasks have names. */
const OF_RESOURCES = 'resources/';
/** Where a reason quotes a URI before anybody knows what was asked. */
const QUOTED_URI = /\b[a-z][a-z0-9+.-]{1,31}:\/\/[^\s"'<>]+/gi;
/** Digits, yes and no, units: shorter ones say nothing of anybody. Characters. */
const MIN_LENGTH = 4;
/** A reason quotes the beginning of what is long. Characters. */
const PROBE = 24;
/** Members of a request that are looked for in a reason; one with more has none. */
const MAX_TEXTS = 20_000;
const SHOWN_DIGEST = 10;

/**
 * Reasons are written for people and models: they quote names and values of the request, which stand as a digest where
 * values do. Names that the tool itself declares stay.
 */
export function createHideValues(digest: KeyedDigest): HideValues {
  const mask = (text: string): string => `[#${digest(Buffer.from(text)).slice(0, SHOWN_DIGEST)}]`;
  return {
    target(name, method) {
      if (!method.startsWith(OF_RESOURCES) && !isUri(name)) return name;
      return `${SCHEME.exec(name)?.[0] ?? ''}#${digest(Buffer.from(name))}`;
    },
    reason(text, { said, target, tool }) {
      if (said === undefined) return text.replace(QUOTED_URI, mask);
      const texts = new Set<string>();
      if (target !== undefined && SCHEME.test(target)) texts.add(target);
      const declared = tool === undefined ? '' : JSON.stringify(tool.definition['inputSchema'] ?? null);
      const isWhole = collect([said.body, said.fixed], texts, (name) => declared.includes(`${JSON.stringify(name)}:`));
      if (!isWhole) return '…';
      // The longest first: a short one may be a part of it.
      return [...texts].sort((a, b) => b.length - a.length).reduce((left, one) => hide(left, one, mask), text);
    },
  };
}

export function isUri(name: string): boolean {
  return URI.test(name);
}

/** Whether a record has only the digest of what was called. */
export function isHiddenTarget(target: string): boolean {
  return HIDDEN.test(target);
}

/** False: there are too many. */
function collect(values: readonly Json[], texts: Set<string>, isDeclared: (name: string) => boolean): boolean {
  const queue = [...values];
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    if (texts.size + queue.length > MAX_TEXTS) return false;
    if (typeof value === 'string') add(value, texts);
    else if (Array.isArray(value)) for (const one of value.slice(0, MAX_TEXTS)) queue.push(one);
    else if (isObject(value))
      for (const [name, one] of Object.entries(value)) {
        if (!isDeclared(name)) add(name, texts);
        if (one !== undefined) queue.push(one);
      }
  }
  return true;
}

/** In the forms in which reasons quote: on one line, as a step of a pointer, within quotes. */
function add(text: string, texts: Set<string>): void {
  const line = text.trim().replace(/\s+/g, ' ');
  for (const form of [line, line.replaceAll('~', '~0').replaceAll('/', '~1')]) {
    if (form.length < MIN_LENGTH) continue;
    texts.add(form);
    texts.add(JSON.stringify(form).slice(1, -1));
  }
}

const WORD = /[\p{L}\p{N}_]/u;

/** Each place where it is quoted, also where only its beginning is. */
function hide(reason: string, text: string, mask: (text: string) => string): string {
  const probe = text.slice(0, PROBE);
  let left = '';
  let from = 0;
  for (let at = reason.indexOf(probe); at >= 0; at = reason.indexOf(probe, from)) {
    let end = at + probe.length;
    while (end < reason.length && reason[end] === text[end - at]) end++;
    const isWord = WORD.test(probe[0] ?? '') && WORD.test(reason[at - 1] ?? '');
    const goesOn = end - at === text.length && WORD.test(reason[end - 1] ?? '') && WORD.test(reason[end] ?? '');
    left += reason.slice(from, at) + (isWord || goesOn ? reason.slice(at, end) : mask(text));
    from = end;
  }
  return left + reason.slice(from);
}
