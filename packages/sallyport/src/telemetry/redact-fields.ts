import { toStarterSecrets } from '../config/secrets-section.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type Json } from '../core/json.ts';
import type { LogFields } from '../core/log.ts';
import { withoutSecrets } from '../guard/secrets/secrets.ts';

const REDACTED = '[redacted]';
const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;
const MAX_TEXT = 4096;
const MAX_CAUSES = 4;

/** A key one of whose words is here holds a secret, or may: `authorization`, `x-api-key`, `accessToken`, `env`. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  ...['authorization', 'auth', 'bearer', 'token', 'tokens', 'secret', 'secrets', 'password', 'passwd', 'passphrase'],
  ...[
    'cookie',
    'cookies',
    'key',
    'keys',
    'apikey',
    'credential',
    'credentials',
    'env',
    'environment',
    'pin',
    'signature',
  ],
]);

/** Secrets inside text: authorization values, user information in a URL, secret query parameters. */
const SECRET_TEXT: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/(:\/\/)[^/\s@]+@/g, `$1${REDACTED}@`],
  [/([?&](?:access_token|token|api_?key|key|secret|password|signature|sig|code)=)[^&\s"']+/gi, `$1${REDACTED}`],
];

/**
 * Log fields as they may be written: secrets masked by key and by form, errors with stack and code, and a bound on
 * depth, entries and text, because whoever logs an object does not know what a stranger put into it.
 */
export function toSafeFields(fields: LogFields): Record<string, unknown> {
  return toSafeObject(fields, 0);
}

/** C1 controls and what turns the reading direction: JSON itself escapes only the first controls. */
const ACTING = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

/** Text with what looks like a secret masked, and what acts on a screen written out; cut at 4 KiB. */
export function toSafeText(text: string): string {
  let safe = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
  for (const [form, mask] of SECRET_TEXT) safe = safe.replace(form, mask);
  return safe.replace(ACTING, (one) => `\\u{${one.codePointAt(0)?.toString(16) ?? ''}}`);
}

/** What is taken out of values that are recorded, whatever rules let pass on its way. */
const RECORDED = toStarterSecrets('team');

/** JSON text, masked and bounded in the same way; what is no JSON becomes null. */
export function toSafeJson(text: string): string {
  try {
    const value = JSON.parse(text) as Json;
    return JSON.stringify(
      toSafeValue(isObject(value) && RECORDED !== undefined ? withoutSecrets(RECORDED, value).value : value, 0),
    );
  } catch {
    return 'null';
  }
}

/** A URI or an id that a record names: a client may have written a secret into it. */
export function toSafeName(name: string): string {
  if (RECORDED === undefined) return toSafeText(name);
  const { value, isWithheld } = withoutSecrets(RECORDED, { name });
  return isWithheld ? REDACTED : toSafeText(String(value['name']));
}

function toSafeValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return toSafeText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return toSafeError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  if (depth >= MAX_DEPTH) return '…';
  if (value instanceof Map || value instanceof Set) return `(${value.constructor.name} of ${value.size})`;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((element) => toSafeValue(element, depth + 1));
  return toSafeObject(value as LogFields, depth);
}

function toSafeObject(object: LogFields, depth: number): Record<string, unknown> {
  // No prototype: a stranger's key may be `__proto__`.
  const safe: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(object).slice(0, MAX_ENTRIES)) {
    const value = object[key];
    safe[key] = isSecretKey(key) && hides(value) ? REDACTED : toSafeValue(value, depth + 1);
  }
  return safe;
}

function isSecretKey(key: string): boolean {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => SECRET_WORDS.has(word));
}

/** Whether there is one is no secret, and neither is `undefined`. */
function hides(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'boolean';
}

function toSafeError(error: Error, depth: number, causes = 0): Record<string, unknown> {
  const { code, cause, errors } = error as {
    readonly code?: unknown;
    readonly cause?: unknown;
    readonly errors?: unknown;
  };
  const safe: Record<string, unknown> = { type: error.name, message: toSafeText(error.message) };
  if (typeof code === 'string' || typeof code === 'number') safe['code'] = code;
  if (error instanceof FaultError && error.data !== undefined) safe['data'] = toSafeValue(error.data, depth + 1);
  if (typeof error.stack === 'string') safe['stack'] = toSafeText(error.stack);
  if (causes < MAX_CAUSES) {
    if (cause instanceof Error) safe['cause'] = toSafeError(cause, depth, causes + 1);
    else if (cause !== undefined) safe['cause'] = toSafeValue(cause, depth + 1);
    if (Array.isArray(errors))
      safe['errors'] = errors.slice(0, MAX_CAUSES).map((one: unknown) => toSafeValue(one, depth + causes + 1));
  }
  return safe;
}
