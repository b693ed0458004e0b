import { isObject, type Json, type JsonObject } from '../core/json.ts';

const HIDDEN = '(hidden)';

/** A reference to a variable is no secret, its default may be one. */
const REFERENCE = /^(?:(?:Bearer|Basic|Token) )?\$\{(?:env:)?[A-Za-z_][A-Za-z0-9_]*\}$/;

const SECRET_NAME =
  /token|secret|passw|passphrase|api-?_?key|access-?_?key|auth|credential|cookie|^-?-?key$|^-?-?pat$/i;

/** Shapes of keys that large services hand out, and long texts that no person would type. */
const SECRET_SHAPE =
  /^(?:sk-|sk_|pk_|ghp_|gho_|github_pat_|glpat-|xox[abps]-|AKIA|eyJ|sp_)\S{8}|^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+_=]{24,}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A server as it is written, without what may be secret: values of env and headers, and suspicious parts of args and URLs. */
export function maskSecrets(entry: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).flatMap(([key, value]): [string, Json][] =>
      value === undefined ? [] : [[key, maskMember(key, value)]],
    ),
  );
}

function maskMember(key: string, value: Json): Json {
  if (key === 'args' && Array.isArray(value)) return maskArgs(value.map(String));
  if ((key === 'url' || key === 'serverUrl') && typeof value === 'string') return maskUrl(value);
  if (VALUES.has(key)) return maskValues(value);
  return value;
}

/** Keys under which any text may be a secret. */
const VALUES: ReadonlySet<string> = new Set(['env', 'headers', 'oauth', 'auth', 'headersHelper']);

function maskValues(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => maskValues(item));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskValues(item ?? null)]));
  }
  return typeof value === 'string' && !REFERENCE.test(value) ? HIDDEN : value;
}

/** Words of a command line: `--token x`, `--token=x`, `KEY=x`, and words that look like keys. */
export function maskArgs(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? '';
    if (/^-/.test(before) && !before.includes('=') && SECRET_NAME.test(before) && !REFERENCE.test(word)) return HIDDEN;
    const at = word.indexOf('=');
    if (at > 0 && !/^https?:/i.test(word)) {
      const value = word.slice(at + 1);
      const secret = SECRET_NAME.test(word.slice(0, at)) || SECRET_SHAPE.test(value);
      return secret && !REFERENCE.test(value) ? `${word.slice(0, at)}=${HIDDEN}` : word;
    }
    if (/^https?:\/\//i.test(word)) return maskUrl(word);
    return SECRET_SHAPE.test(word) ? HIDDEN : word;
  });
}

/** Query values, passwords, and path segments that look like keys. */
export function maskUrl(url: string): string {
  const [, front = '', query] = /^([^?#]*)\??([^#]*)/.exec(url) ?? [];
  const path = front
    .replace(/\/\/[^/@]*@/, `//${HIDDEN}@`)
    .split('/')
    .map((segment, index) => (index > 2 && SECRET_SHAPE.test(segment) ? HIDDEN : segment))
    .join('/');
  if (query === undefined || query === '') return path;
  const pairs = query.split('&').map((pair) => {
    const [name = '', ...rest] = pair.split('=');
    return rest.length === 0 || REFERENCE.test(rest.join('=')) ? pair : `${name}=${HIDDEN}`;
  });
  return `${path}?${pairs.join('&')}`;
}
