import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { ApiKey } from '../core/key-directory.ts';
import { createKey, findKey, listKeys, type NewKey, revokeKey } from '../storage/keys.ts';
import { describePage, pageOfItems, readWord } from './page.ts';
import { toBy } from './people.ts';
import type { ControlPorts } from './ports.ts';
import { wrong } from './problem.ts';
import { recorded } from './recorded.ts';
import { NULLABLE_TEXT, objectOf, PAGE_PARAMETERS, pageOf, type Route, type Schema, TEXT, TEXTS } from './route.ts';

const NULLABLE_TIME: Schema = { type: ['string', 'null'], format: 'date-time' };
const STATES = ['active', 'expired', 'revoked'] as const;
const ATTRIBUTES: Schema = {
  title: 'KeyAttributes',
  type: 'object',
  additionalProperties: { anyOf: [TEXT, TEXTS] },
  description: 'Names and values that bind arguments to its holder.',
};

const KEY_PROPERTIES: Readonly<Record<string, Schema>> = {
  id: TEXT,
  name: TEXT,
  state: { enum: [...STATES] },
  person: { ...NULLABLE_TEXT, description: 'The human being who uses it.' },
  account: { ...NULLABLE_TEXT, description: 'The system account that uses it.' },
  groups: TEXTS,
  scopes: { type: ['array', 'null'], items: TEXT, description: 'null: not limited by scopes.' },
  attributes: ATTRIBUTES,
  createdAt: { type: 'string', format: 'date-time' },
  expiresAt: NULLABLE_TIME,
  revokedAt: NULLABLE_TIME,
  lastUsedAt: { ...NULLABLE_TIME, description: 'To the minute.' },
};

/** All that may be shown of a key. */
const KEY: Schema = { title: 'Key', ...objectOf(KEY_PROPERTIES) };

const NEW_KEY: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'What it is for; stands on every record of its calls.' },
    person: { type: 'string', minLength: 1, maxLength: 256 },
    account: { type: 'string', minLength: 1, maxLength: 256 },
    groups: { type: 'array', maxItems: 256, items: { type: 'string', minLength: 1, maxLength: 256 } },
    scopes: {
      type: 'array',
      maxItems: 256,
      items: { type: 'string', minLength: 1, maxLength: 256 },
      description: 'Left out: not limited by scopes. Empty: nothing.',
    },
    attributes: ATTRIBUTES,
    expiresAt: { type: ['string', 'null'], description: 'RFC 3339; null: never. Left out: 90 days from now.' },
  },
};

/** Long enough not to be in the way, short enough that a forgotten key ends. Milliseconds. */
const DEFAULT_LIFE_MS = 90 * 86_400_000;

/** Keys of programs and people. The key itself is shown once, when it is made. */
export function keyRoutes(ports: ControlPorts): readonly Route[] {
  return [listRoute(ports), showRoute(ports), createRoute(ports), revokeRoute(ports)];
}

function listRoute({ database, clock }: ControlPorts): Route {
  return {
    method: 'GET',
    path: '/keys',
    id: 'listKeys',
    summary: 'The API keys: who they are for, whether they work, when they were used last',
    role: 'viewer',
    query: [
      ...PAGE_PARAMETERS,
      { name: 'state', description: 'Only in this state.', schema: { enum: [...STATES] } },
      { name: 'group', description: 'Only of this group.', schema: TEXT },
    ],
    result: pageOf(KEY),
    handle: async ({ query }) => {
      const state = readWord(query, 'state', STATES);
      const group = query.get('group');
      const now = clock.now();
      const keys = (await listKeys(await database())).filter(
        (key) => (state === undefined || stateOf(key, now) === state) && (group === null || key.groups.includes(group)),
      );
      return describePage(pageOfItems(keys, query, toPlace), (key) => describeKey(key, now));
    },
  };
}

function showRoute({ database, clock }: ControlPorts): Route {
  return {
    method: 'GET',
    path: '/keys/{key}',
    id: 'showKey',
    summary: 'One API key, by its id or its name',
    role: 'viewer',
    result: KEY,
    problems: [404],
    handle: async ({ path }) => describeKey(await findKey(await database(), path.get('key') ?? ''), clock.now()),
  };
}

function createRoute({ database, clock, note }: ControlPorts): Route {
  return {
    method: 'POST',
    path: '/keys',
    id: 'createKey',
    summary: 'Makes an API key; `key` is shown this once',
    role: 'admin',
    body: NEW_KEY,
    result: objectOf({
      ...KEY_PROPERTIES,
      key: { type: 'string', description: 'The secret. Only its digest is kept.' },
    }),
    handle: async ({ body, principal }) => {
      const now = clock.now();
      const wanted = toNewKey(body as unknown as Written, now);
      const record = {
        ...{ kind: 'key_create', ...toBy(principal), name: wanted.name, groups: wanted.groups.join(' ') },
        expires: wanted.expiresAt === undefined ? 'never' : new Date(wanted.expiresAt).toISOString(),
      };
      const { key, secret } = await recorded(note, record, async () => createKey(await database(), wanted, now));
      return { ...describeKey(key, now), key: secret };
    },
  };
}

function revokeRoute({ database, clock, note }: ControlPorts): Route {
  return {
    method: 'POST',
    path: '/keys/{key}/revoke',
    id: 'revokeKey',
    summary: 'Ends an API key for good; a running Sallyport refuses it within a second',
    role: 'admin',
    result: KEY,
    problems: [404],
    handle: async ({ path, principal }) => {
      const now = clock.now();
      const { id, name } = await findKey(await database(), path.get('key') ?? '');
      const record = { kind: 'key_revoke', ...toBy(principal), id, name };
      return describeKey(await recorded(note, record, async () => revokeKey(await database(), id, now)), now);
    },
  };
}

/** The body, as its schema says. */
interface Written extends Omit<NewKey, 'groups' | 'attributes' | 'expiresAt'> {
  readonly groups?: NewKey['groups'];
  readonly attributes?: NewKey['attributes'];
  readonly expiresAt?: string | null;
}

function toNewKey({ expiresAt, groups = [], attributes = {}, ...written }: Written, now: number): NewKey {
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@/-]{0,63}$/u.test(written.name))
    wrong("A key's name is 1 to 64 letters, digits, blanks and . _ @ / -");
  if (written.scopes?.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) === false)
    wrong('A scope holds no blanks, quotes or backslashes.');
  return { ...written, groups, attributes, expiresAt: toEnd(expiresAt, now) };
}

function toEnd(written: string | null | undefined, now: number): number | undefined {
  if (written === null) return undefined;
  if (written === undefined) return now + DEFAULT_LIFE_MS;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(written) ? Date.parse(written) : Number.NaN;
  if (!(at > now)) throw new FaultError('usage', 'expiresAt is a time to come, like 2027-01-31T12:00:00Z, or null.');
  return at;
}

function describeKey(key: ApiKey, now: number): JsonObject {
  return {
    id: key.id,
    name: key.name,
    state: stateOf(key, now),
    person: key.person ?? null,
    account: key.account ?? null,
    groups: [...key.groups],
    scopes: key.scopes === undefined ? null : [...key.scopes],
    attributes: { ...key.attributes },
    createdAt: toTime(key.createdAt),
    expiresAt: toTime(key.expiresAt),
    revokedAt: toTime(key.revokedAt),
    lastUsedAt: toTime(key.lastUsedAt),
  };
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): (typeof STATES)[number] {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && now >= expiresAt ? 'expired' : 'active';
}

/** Keys stand in the order they were made. */
function toPlace({ createdAt, id }: ApiKey): string {
  return `${String(createdAt).padStart(15, '0')}-${id}`;
}

function toTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
