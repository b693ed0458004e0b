import { isObject, type JsonObject, member } from '../../core/json.ts';
import { SINK_CLASSES, type SinkClass } from '../../core/sink.ts';
import { type Meaning, readChinese, readWords, toWords } from './read-words.ts';

export interface DefinitionReading {
  /** In the order of `SINK_CLASSES`. */
  readonly sinks: readonly SinkClass[];
  /** By its name, else its description, it only looks: arguments that merely resemble those of an effect do not count. */
  readonly reads: boolean;
}

const readings = new WeakMap<JsonObject, DefinitionReading>();

/**
 * The effects a definition tells of. Pure, and remembered for the definition. Precision first: a floor that asks about
 * searches is a floor that people switch off.
 */
export function readDefinition(definition: JsonObject): DefinitionReading {
  let reading = readings.get(definition);
  if (reading === undefined) {
    reading = read(definition);
    readings.set(definition, reading);
  }
  return reading;
}

function read(definition: JsonObject): DefinitionReading {
  const name = text(definition, 'name');
  const description = text(definition, 'description');
  const annotations = member(definition, 'annotations');
  const says = (hint: string) => member(annotations, hint);
  const byName = readName(name);
  const found = new Set<SinkClass>(byName.sinks);
  // A name is short and chosen with care; a description may speak of anything, so it only speaks where the name does not.
  const byText = byName.act === 'unknown' && says('readOnlyHint') !== true ? readDescription(description) : NOTHING;
  for (const sink of byText.sinks) found.add(sink);
  const reads = (byName.act === 'unknown' ? byText.act : byName.act) === 'reads' || says('readOnlyHint') === true;
  if (!reads) {
    for (const sink of readSchema(definition, { description, openWorld: says('openWorldHint') === true }))
      found.add(sink);
    if (says('destructiveHint') === true && says('readOnlyHint') === false && !ADDING.test(name)) found.add('delete');
  }
  return { sinks: SINK_CLASSES.filter((sink) => found.has(sink)), reads };
}

const NOTHING: Meaning = { act: 'unknown', sinks: new Set() };

/** SDKs write `destructiveHint` beside every tool that writes; what only adds destroys nothing. */
const ADDING = /(?:^|[_.-])(?:create|add|insert|append|start|open|new|post|send|upload|invite)/i;

function readName(name: string): Meaning {
  const chinese = readChinese(name);
  return chinese.act === 'unknown' ? readWords(toWords(name)) : chinese;
}

/** The first words: descriptions begin with what the tool does. */
function readDescription(description: string): Meaning {
  const chinese = readChinese(description);
  if (chinese.act !== 'unknown') return chinese;
  const words = toWords(description.trimStart().split(/[.\n:;(]/, 1)[0] ?? '').slice(0, 8);
  const meaning = readWords(words);
  // A verb further on is another sentence's business: "Weather data you can send to others".
  const verbFirst = readWords(words.slice(0, 2)).act === meaning.act;
  return verbFirst ? meaning : NOTHING;
}

const RECIPIENT = /^(?:to|recipients?|to_?(?:email|emails|address|number|phone|user)|receiver|phone_?number)$/i;
const CONTENT = /^(?:body|message|text|content|html|subject)$/i;
const AMOUNT = /^(?:amount|amount_?(?:cents|minor|in_?\w+)|price|total)$/i;
const MONEY =
  /^(?:currency|currency_?code|to|to_?(?:address|account|wallet)|recipient(?:_?address)?|iban|card_?\w+|destination_?\w*)$/i;
const PROGRAM = /^(?:code|script|command|cmd|shell|commands|javascript|python_?code|js)$/i;

/** Properties that only make sense together with an effect. */
function readSchema(
  definition: JsonObject,
  { description, openWorld }: { readonly description: string; readonly openWorld: boolean },
): readonly SinkClass[] {
  const properties = member(member(definition, 'inputSchema'), 'properties');
  if (!isObject(properties)) return [];
  const names = Object.keys(properties).slice(0, 256);
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  const found: SinkClass[] = [];
  if (has(AMOUNT) && has(MONEY)) found.push('pay');
  else if (
    has(RECIPIENT) &&
    has(CONTENT) &&
    (openWorld || /\b(?:e-?mails?|sms|messages?|send|sends)\b|邮件|短信|消息/i.test(description))
  )
    found.push('send_out');
  const program = names.some((name) => PROGRAM.test(name) && isFreeText(member(properties, name)));
  if (
    program &&
    /\b(?:runs?|executes?|evaluates?|executing|running|shell|interpreter)\b|执行|运行/i.test(description.slice(0, 400))
  )
    found.push('run_code');
  return found;
}

function isFreeText(schema: unknown): boolean {
  return isObject(schema) && member(schema, 'enum') === undefined && member(schema, 'const') === undefined;
}

function text(definition: JsonObject, key: string): string {
  const value = member(definition, key);
  return typeof value === 'string' ? value : '';
}
