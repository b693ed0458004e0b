import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { AskPerson } from './ask-person.ts';
import { toPlainText } from './plain-text.ts';

/** What the questions of one server go through. */
export interface Elicitor {
  readonly server: string;
  readonly ask: AskPerson;
  /** Shows a line to the person. */
  say(text: string): void;
}

/** Wrong answers to one question before the whole form is cancelled. */
const MAX_TRIES = 5;

/**
 * Answers an `elicitation/create` by asking the person: who asks and what for, then accept, decline or cancel, then
 * field by field, then once more before anything is sent (MCP elicitation#user-interaction-model).
 */
export async function elicit(elicitor: Elicitor, params: JsonObject): Promise<JsonObject> {
  const { server, say } = elicitor;
  say(`The server "${server}" asks: ${text(params, 'message') ?? ''}`);
  if (member(params, 'mode') === 'url') return elicitUrl(elicitor, text(params, 'url') ?? '');
  const schema = member(params, 'requestedSchema');
  const fields = member(schema, 'properties');
  const required = member(schema, 'required');
  if (isObject(fields)) say(`It wants: ${Object.keys(fields).map(toPlainText).join(', ') || 'a yes or no'}.`);
  const first = await decide(elicitor, 'Answer it?');
  if (first !== 'accept') return { action: first };
  const content = new Map<string, Json>();
  for (const [name, field] of Object.entries(isObject(fields) ? fields : {})) {
    const needed = Array.isArray(required) && required.includes(name);
    const value = await askField(elicitor, { name, field: isObject(field) ? field : {}, needed });
    if (value === CANCELLED) return { action: 'cancel' };
    if (value !== undefined) content.set(name, value);
  }
  if (content.size > 0) {
    say(`This goes to "${server}": ${JSON.stringify(Object.fromEntries(content))}`);
    const second = await decide(elicitor, 'Send it?');
    if (second !== 'accept') return { action: second };
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}

async function elicitUrl(elicitor: Elicitor, url: string): Promise<JsonObject> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return { action: 'decline' };
  elicitor.say(`It wants you to open a page of ${new URL(url).host}:\n  ${url}`);
  const action = await decide(elicitor, 'Agree? (Open the page yourself.)');
  return { action };
}

type Decision = 'accept' | 'decline' | 'cancel';

async function decide({ ask }: Elicitor, question: string): Promise<Decision> {
  const line = (await ask(`${question} [y]es, [n]o, [c]ancel: `))?.trim().toLowerCase();
  if (line === 'y' || line === 'yes') return 'accept';
  return line === 'n' || line === 'no' ? 'decline' : 'cancel';
}

const CANCELLED = Symbol('cancelled');

interface Field {
  readonly name: string;
  readonly field: JsonObject;
  readonly needed: boolean;
}

async function askField(elicitor: Elicitor, asked: Field): Promise<Json | undefined | typeof CANCELLED> {
  const standing = member(asked.field, 'default');
  const question = describe(asked);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const line = await elicitor.ask(question);
    if (line === undefined) return CANCELLED;
    if (line.trim() === '') {
      if (standing !== undefined) return standing;
      if (!asked.needed) return undefined;
      elicitor.say('This one is needed.');
      continue;
    }
    const value = readField(asked.field, line.trim());
    if (value.kind === 'value') return value.value;
    elicitor.say(value.problem);
  }
  return CANCELLED;
}

function describe({ name, field, needed }: Field): string {
  const title = toPlainText(text(field, 'title') ?? name);
  const description = text(field, 'description');
  const choices = choicesOf(field).map(({ value, label }) => (label === value ? value : `${value} (${label})`));
  const standing = member(field, 'default');
  const hints = [
    choices.length > 0 ? choices.join(' | ') : String(member(field, 'type') ?? 'string'),
    member(field, 'type') === 'array' ? 'several with commas' : '',
    standing === undefined ? '' : `default ${JSON.stringify(standing)}`,
    needed ? '' : 'may be left empty',
  ].filter((hint) => hint !== '');
  return toPlainText(`${title}${description === undefined ? '' : `: ${description}`} [${hints.join('; ')}] `);
}

function choicesOf(field: JsonObject): readonly { readonly value: string; readonly label: string }[] {
  const source = member(field, 'type') === 'array' ? member(field, 'items') : field;
  const titled = member(source, 'oneOf') ?? member(source, 'anyOf');
  if (Array.isArray(titled)) {
    return titled.flatMap((option: Json) => {
      const value = text(option, 'const');
      return value === undefined ? [] : [{ value, label: text(option, 'title') ?? value }];
    });
  }
  const plain = member(source, 'enum');
  const names = member(source, 'enumNames');
  if (!Array.isArray(plain)) return [];
  return plain.map((value: Json, index) => ({
    value: String(value),
    label: Array.isArray(names) ? String(names[index] ?? value) : String(value),
  }));
}

type FieldValue =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'problem'; readonly problem: string };

/** One line as the value of a field (MCP elicitation, primitive schema definitions). */
export function readField(field: JsonObject, line: string): FieldValue {
  const type = member(field, 'type');
  const choices = choicesOf(field).map(({ value }) => value);
  if (type === 'array') {
    const items = line.split(',').map((item) => item.trim());
    const wrong = items.find((item) => choices.length > 0 && !choices.includes(item));
    if (wrong !== undefined) return problem(`Choose from ${choices.join(', ')}.`);
    return bounded(field, { value: items, size: items.length, names: ['minItems', 'maxItems'] });
  }
  if (choices.length > 0)
    return choices.includes(line) ? { kind: 'value', value: line } : problem(`Choose from ${choices.join(', ')}.`);
  if (type === 'boolean') {
    if (/^(?:y|yes|true)$/i.test(line)) return { kind: 'value', value: true };
    return /^(?:n|no|false)$/i.test(line) ? { kind: 'value', value: false } : problem('Answer yes or no.');
  }
  if (type === 'number' || type === 'integer') {
    const value = Number(line);
    if (!Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value)))
      return problem(`Not a ${type === 'integer' ? 'whole ' : ''}number.`);
    return bounded(field, { value, size: value, names: ['minimum', 'maximum'] });
  }
  return bounded(field, { value: line, size: [...line].length, names: ['minLength', 'maxLength'] });
}

function bounded(
  field: JsonObject,
  { value, size, names }: { readonly value: Json; readonly size: number; readonly names: readonly [string, string] },
): FieldValue {
  const [minimum, maximum] = names.map((name) => member(field, name));
  if (typeof minimum === 'number' && size < minimum) return problem(`At least ${minimum}.`);
  if (typeof maximum === 'number' && size > maximum) return problem(`At most ${maximum}.`);
  return { kind: 'value', value };
}

function problem(text: string): FieldValue {
  return { kind: 'problem', problem: text };
}

function text(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === 'string' ? found : undefined;
}
