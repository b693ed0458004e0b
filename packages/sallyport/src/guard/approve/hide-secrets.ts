import { createHmac } from 'node:crypto';
import { type SecretSettings, toStarterSecrets } from '../../config/secrets-section.ts';
import { definitionOf, type Envelope } from '../../core/envelope.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { toShortId } from '../../core/short-id.ts';
import { findSecrets } from '../secrets/find-secrets.ts';
import { replaceSecrets } from '../secrets/mask-secrets.ts';
import { sensitiveFields } from '../secrets/sensitive-fields.ts';
import { findSplitSecrets, Spelled } from '../secrets/split-secrets.ts';
import { toToken } from '../secrets/vault.ts';
import { eachValue, type PlacedValue, toPlace } from '../secrets/walk-strings.ts';
import { describeSecrets, type WeighedSecret, weighSecrets } from '../secrets/weigh-secrets.ts';

/** The arguments of a call as people see them and as they are kept: `{{hidden:<kind>:<tag>}}` in place of each secret. */
export interface HiddenSecrets {
  readonly shown: JsonObject;
  /** Mark -> what it stands for. In memory only. */
  readonly values: ReadonlyMap<string, Json>;
}

export interface HideOptions {
  /** Of this installation: whoever reads the marks without it cannot try out a short value. */
  readonly key: Buffer;
  readonly custom?: SecretSettings['custom'] | undefined;
}

/** What the set `team` asks about and what a schema marks, whatever the rules in force let pass. */
function toHiding(custom: SecretSettings['custom']): SecretSettings | undefined {
  const team = toStarterSecrets('team');
  return team && { ...team, arguments: { ...team.arguments, marked: 'ask' }, custom };
}

/** The same value has the same mark: people see what is one and the same, and what changed. */
export function hideSecrets(envelope: Envelope, { key, custom = [] }: HideOptions): HiddenSecrets {
  const values = new Map<string, Json>();
  const { body: given, upstream, target } = envelope;
  const settings = toHiding(custom);
  if (settings === undefined) return { shown: given, values };
  const tool = { upstream, name: target };
  const marked = sensitiveFields(definitionOf(envelope)).input;
  const found = weighSecrets(given, { settings, direction: 'arguments', tool, marked, markedRoot: '' });
  if (found.length === 0) return { shown: given, values };
  const pieces = found.some(({ isSplit }) => isSplit) ? findPieces(given) : NO_PIECES;
  const toMark = (secret: WeighedSecret): string => {
    const { kind, value, form, isSplit } = secret;
    // As receipts show them: which card or account it is decides more often than anything else.
    const end = SHOWN_IN_PART.has(kind) && !isSplit ? ` …${value.slice(-4)}` : '';
    const mark = `{{hidden:${kind}${end}:${toTag(key, pieces.get(secret) ?? value)}}}`;
    values.set(mark, form === 'number' || form === 'flag' ? (JSON.parse(value) as Json) : value);
    return mark;
  };
  const places = new Set([...pieces.keys()].map(toPlace));
  const rest = found.filter((one) => !one.isSplit && !places.has(toPlace(one)));
  return { shown: replaceSecrets(given, [...rest, ...pieces.keys()], toMark), values };
}

const SHOWN_IN_PART: ReadonlySet<string> = new Set(['card-number', 'iban']);

/** What holds a piece of a secret, as a whole -> what its mark is of. */
type Pieces = ReadonlyMap<WeighedSecret, string>;

const NO_PIECES: Pieces = new Map();

function findPieces(given: JsonObject): Pieces {
  const all = new Map<string, PlacedValue>();
  const spelled = new Spelled(findSecrets);
  eachValue(given, (placed) => {
    spelled.add(placed);
    if (placed.form !== 'name') all.set(placed.pointer, placed);
  });
  spelled.end();
  const pieces = new Map<string, readonly [WeighedSecret, string]>();
  const add = (kind: string, pointer: string, of?: string) => {
    const placed = all.get(pointer);
    if (placed === undefined) return;
    const { text, field, form } = placed;
    const where = { pointer, field, form, start: 0, end: text.length, value: text };
    pieces.set(pointer, [{ kind, mode: 'ask', ...where, isByName: false, isSplit: true }, of ?? text]);
  };
  const texts = [...all.values()].filter(({ form }) => form === 'text');
  for (const { kind, pointers } of findSplitSecrets(texts, findSecrets))
    for (const pointer of pointers) add(kind, pointer);
  for (const { kind, pointers } of spelled.found) {
    // A letter with one mark everywhere could be read off wherever else it stands.
    const whole = pointers.map((pointer) => all.get(pointer)?.text).join(' ');
    for (const [i, pointer] of pointers.entries()) add(kind, pointer, `${whole}\0${i}`);
  }
  return new Map(pieces.values());
}

const MARK = /\{\{hidden:[a-z0-9-]{1,40}(?: …[^{}]{4})?:[a-z2-7]{16}\}\}/g;

function toTag(key: Buffer, value: string): string {
  return toShortId(createHmac('sha256', key).update(value).digest());
}

/** Arguments that a person wrote, with what their marks stand for. `undefined`: one of them is of another call. */
export function showSecrets(written: JsonObject, values: ReadonlyMap<string, Json>): JsonObject | undefined {
  const shown = put(written, values) as JsonObject; // an object stays one
  // Fail closed: it would be sent in place of a value.
  return JSON.stringify(written)
    .match(MARK)
    ?.some((mark) => !values.has(mark))
    ? undefined
    : shown;
}

function put(value: Json | undefined, values: ReadonlyMap<string, Json>): Json | undefined {
  if (typeof value === 'string') return putText(value, values);
  if (Array.isArray(value)) return value.map((one: Json) => put(one, values) as Json);
  if (!isObject(value)) return value;
  const copy = Object.create(null) as Record<string, Json | undefined>;
  for (const name of Object.keys(value)) copy[String(putText(name, values))] = put(value[name], values);
  return copy;
}

function putText(text: string, values: ReadonlyMap<string, Json>): Json {
  return values.get(text) ?? text.replace(MARK, (mark) => String(values.get(mark) ?? mark));
}

/** What is told in words, with marks where it quotes a secret. */
export function hideIn(text: string, { values }: HiddenSecrets): string {
  let rest = text;
  for (const [mark, value] of values) {
    const quoted = String(value);
    // Shorter ones stand in words by chance.
    if (quoted.length >= MIN_QUOTED) rest = rest.replaceAll(quoted, () => mark);
  }
  return rest;
}

const MIN_QUOTED = 6;

/**
 * Secrets a person typed into arguments of their own, as a reason names them; `undefined`: none. What is typed is kept until
 * the call comes again, and nobody wants to keep those.
 * @param shown the arguments the person was shown
 */
export function describeTyped(written: JsonObject, shown: JsonObject): string | undefined {
  const settings = toHiding([]);
  if (settings === undefined) return undefined;
  // A mark is no secret, and neither is the token it is taken for here.
  const plain = JSON.parse(JSON.stringify(written).replace(MARK, toToken('hidden', 'a'.repeat(16)))) as JsonObject;
  const found = weighSecrets(plain, {
    ...{ settings, direction: 'arguments', marked: [], markedRoot: '' },
    tool: { upstream: '', name: '' },
  });
  const secrets = [...found, ...findChanged(written, shown)];
  return secrets.length === 0 ? undefined : describeSecrets(secrets);
}

/** What stands in fields a schema marks, and is not the mark that stood there. */
function findChanged(
  written: JsonObject,
  shown: JsonObject,
): readonly Pick<WeighedSecret, 'kind' | 'pointer' | 'isSplit'>[] {
  const marks = new Map<string, string>();
  eachValue(shown, (placed) => {
    if (placed.text.startsWith('{{hidden:sensitive-field:')) marks.set(toPlace(placed), placed.text);
  });
  const changed: Pick<WeighedSecret, 'kind' | 'pointer' | 'isSplit'>[] = [];
  eachValue(written, (placed) => {
    const mark = marks.get(toPlace(placed));
    if (mark !== undefined && placed.text !== mark)
      changed.push({ kind: 'sensitive-field', pointer: placed.pointer, isSplit: false });
  });
  return changed;
}
