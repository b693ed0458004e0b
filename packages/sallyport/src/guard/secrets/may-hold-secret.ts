import type { Json, JsonObject } from '../../core/json.ts';
import {
  ACCOUNT,
  ASSIGNS,
  AT,
  CODED_RUN,
  DASHES,
  ESCAPES,
  HOST,
  INNER_HOST,
  LONG_NUMBER,
  MIXED_RUN,
  OTHER,
  PHRASE,
  SPACED_RUN,
  signsOf,
} from '../text-signs.ts';
import { isSecretName } from './named-secrets.ts';
import { countLikely, FEWEST_WORDS, mayHoldPhrase } from './seed-phrase.ts';
import { FEWEST_UNITS, mayBeSplit, unitOf } from './split-secrets.ts';
import { beginsToken } from './vault.ts';
import { MAX_DEPTH } from './walk-strings.ts';

/** Each of these a kind of secret cannot do without. Words alone have none of them. */
const TELLING = AT | ESCAPES | OTHER | HOST | INNER_HOST | LONG_NUMBER | ACCOUNT | MIXED_RUN | CODED_RUN | SPACED_RUN;

/** Can there be a secret in this text? False is certain for what `find-secrets.ts` looks for. */
export function mayHoldSecret(text: string, field: string | undefined): boolean {
  if (text.length < SHORTEST) return false;
  const signs = signsOf(text);
  if ((signs & TELLING) !== 0) return true;
  if ((signs & PHRASE) !== 0 && mayHoldPhrase(text)) return true;
  if ((signs & DASHES) !== 0 && text.includes('-----')) return true;
  if ((signs & ASSIGNS) !== 0 && hasAssignment(text)) return true;
  return field !== undefined && field !== '' && isSecretName(field);
}

/** No secret is shorter. */
const SHORTEST = 6;

/** A colon or an equals sign with a value behind it that is long enough for `named-secrets.ts`. */
function hasAssignment(text: string): boolean {
  return hasValue(text, ':') || hasValue(text, '=');
}

function hasValue(text: string, sign: string): boolean {
  const { length } = text;
  for (let i = text.indexOf(sign); i >= 0; i = text.indexOf(sign, i + 1)) {
    let at = i + 1;
    const next = text.charCodeAt(at);
    if (next === EQUALS || next === GREATER) at++;
    while (at < length && VALUES[text.charCodeAt(at)] === BEFORE) at++;
    let end = at;
    while (end < length && VALUES[text.charCodeAt(end)] === VALUE) end++;
    // One less than the shortest: the equals sign that was passed over may be the first of the value.
    if (end - at >= SHORTEST_VALUE - 1) return true;
  }
  return false;
}

const EQUALS = 61;
const GREATER = 62;
const SHORTEST_VALUE = 8;
const VALUE = 1;
/** Blanks, quotation marks and signs of emphasis. */
const BEFORE = 2;
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  if (/[ \t"'`*]/.test(sign)) return BEFORE;
  return /[^\s"'`,;<>{}()$\\&]/.test(sign) ? VALUE : 0;
});

/** Can there be one in a text, number or name of this message, or in pieces in several texts? */
export function mayHoldSecrets(root: Json): boolean {
  last.text = last.field = '';
  last.words = last.units = 0;
  const may = look(root, '', 0);
  last.text = last.field = '';
  return may;
}

/** The text before, since pieces stand side by side; of one message at a time. */
const last = { text: '', field: '', words: 0, units: 0 };

/** Letter by letter: is this one of so many? */
function isSpelled(value: string | number): boolean {
  last.units = unitOf(value) === undefined ? 0 : last.units + 1;
  return last.units >= FEWEST_UNITS;
}

function look(value: Json | undefined, field: string, depth: number): boolean {
  if (typeof value === 'string') {
    if (mayHoldSecret(value, field) || mayBeSplit(last, value, field) || isSpelled(value)) return true;
    const words = countLikely(value);
    last.words = words === 0 ? 0 : last.words + words;
    last.text = value;
    last.field = field;
    return last.words >= FEWEST_WORDS;
  }
  // No number of fewer digits is one of a person or an account.
  if (typeof value === 'number') return value >= 1e8 || isSpelled(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (look(value[i], field, depth + 1)) return true;
    return false;
  }
  const object = value as JsonObject; // True: neither a list nor null.
  for (const key of Object.keys(object))
    if (mayHoldSecret(key, undefined) || look(object[key], key, depth + 1)) return true;
  return false;
}

/** Does a text or name of this message hold what begins a token? */
export function mayHoldToken(root: Json | undefined, depth = 0): boolean {
  if (typeof root === 'string') return beginsToken(root);
  if (typeof root !== 'object' || root === null) return false;
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(root)) {
    for (let i = 0; i < root.length; i++) if (mayHoldToken(root[i], depth + 1)) return true;
    return false;
  }
  const object = root as JsonObject; // True: neither a list nor null.
  for (const key of Object.keys(object)) if (beginsToken(key) || mayHoldToken(object[key], depth + 1)) return true;
  return false;
}
