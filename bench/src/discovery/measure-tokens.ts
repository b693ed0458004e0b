import { load, type ToolFace } from '../detection/product.ts';
import { isJson, type Json, toText } from '../detection/read-rows.ts';
import { atLeast, atMost, type FaultFigure } from '../faults/figure.ts';
import type { Product } from './engines.ts';
import type { Document, Query } from './read-retrieval.ts';

/** What the product shows a model, as far as this bench uses it. */
interface Shown {
  readonly three: readonly Json[];
  estimateTokens(value: unknown): number;
  estimateTextTokens(text: string): number;
  writeCards(found: readonly object[], index: { listed(face: ToolFace): unknown }, most: number): string;
  describe(listed: object, tokens: number): string;
  trimSchema(
    schema: Json,
    options: { readonly tokens: number; readonly only: ReadonlySet<string> },
  ): { readonly schema: Json };
  compileSchema(schema: Json, options: object): unknown;
}

/** `discovery.resultTokens` as it is when nothing is configured. */
const RESULT_TOKENS = 1_500;
/** What a mistake is answered with takes at most this much. */
const MISTAKE_TOKENS = 600;
const MAX_MISTAKES = 3;
const HEAVIEST = 19;

async function openShown(): Promise<Shown> {
  const own = await load<readonly { readonly definition: Json; readonly name: string }[]>(
    'call/own-tools.js',
    'OWN_TOOLS',
  );
  const names = ['find_tools', 'describe_tool', 'call_tool'];
  return {
    three: own.filter(({ name }) => names.includes(name)).map(({ definition }) => definition),
    estimateTokens: await load('core/estimate-tokens.js', 'estimateTokens'),
    estimateTextTokens: await load('core/estimate-tokens.js', 'estimateTextTokens'),
    writeCards: await load('call/discovery/find-tools.js', 'writeCards'),
    describe: await load('call/discovery/describe-tool.js', 'describe'),
    trimSchema: await load('catalog/cards/trim-schema.js', 'trimSchema'),
    compileSchema: await load('guard/schema/compile-schema.js', 'compileSchema'),
  };
}

export interface TokenData {
  readonly livemcp: { readonly documents: readonly Document[]; readonly queries: readonly Query[] };
  /** All tools of one server. */
  readonly ecs: readonly Document[];
}

/** What a model reads with three tools, beside what all definitions take; tokens by the product's estimate. */
export async function measureTokens(product: Product, { livemcp, ecs }: TokenData): Promise<readonly FaultFigure[]> {
  const shown = await openShown();
  const heaviest = ecs
    .map((document) => ({ document, tokens: shown.estimateTokens(toDefinition(document)) }))
    .sort((one, other) => other.tokens - one.tokens)
    .slice(0, HEAVIEST)
    .map(({ document }) => document);
  return [
    atLeast('discovery.tokens.saved', toSaved(product, shown, livemcp), { goal: 0.99, unit: 'share' }),
    atMost('discovery.tokens.ecs', toFirstCall(product, shown, heaviest), { goal: 3_000, unit: 'tokens' }),
  ];
}

/** A tool as `tools/list` has it. */
function toDefinition({ definition }: Document): Json {
  const { name, description, inputSchema } = definition;
  return { name, description, inputSchema };
}

function open(product: Product, shown: Shown, documents: readonly Document[]) {
  const index = product.createIndex();
  const byFace = new Map<ToolFace, object>();
  for (const document of documents) {
    const face = product.toFace(document);
    index.add(face);
    const name = toText(document.definition['name']);
    const tool = { upstream: document.server, name, publicName: name, definition: toDefinition(document) };
    byFace.set(face, { tool, description: undefined, document });
  }
  return {
    /** The cards, and what they are of. */
    find(query: string) {
      const found = product.findTools(index, [query], { most: 5 });
      const text = shown.writeCards(found, { listed: (face) => byFace.get(face) }, RESULT_TOKENS);
      return { tokens: shown.estimateTextTokens(text), listed: found.map(({ tool }) => byFace.get(tool) as Listed) };
    },
  };
}

interface Listed {
  readonly document: Document;
}

/** Mean over the tasks: three tools, five cards, and the schema of a right tool, or of the first where none was found. */
function toSaved(product: Product, shown: Shown, { documents, queries }: TokenData['livemcp']): number {
  const all = shown.estimateTokens(documents.map(toDefinition));
  const index = open(product, shown, documents);
  const three = shown.estimateTokens(shown.three);
  let sum = 0;
  for (const { query, gold } of queries) {
    const { tokens, listed } = index.find(query);
    const one = listed.find(({ document }) => gold.includes(document.id)) ?? listed[0];
    sum += three + tokens + (one === undefined ? 0 : shown.estimateTextTokens(shown.describe(one, RESULT_TOKENS)));
  }
  return 1 - sum / queries.length / all;
}

/** Mean over the tools: what is read until a call has valid arguments, the calls themselves included. */
function toFirstCall(product: Product, shown: Shown, documents: readonly Document[]): number {
  const index = open(product, shown, documents);
  const three = shown.estimateTokens(shown.three);
  const totals = documents.map((document) => {
    const query = toText(document.definition['name']).replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
    const { tokens, listed } = index.find(query);
    const one = listed.find((found) => found.document === document);
    return one === undefined ? Number.NaN : three + tokens + readAndCall(shown, one);
  });
  return totals.reduce((sum, one) => sum + one, 0) / totals.length;
}

function readAndCall(shown: Shown, one: Listed): number {
  const { definition } = one.document;
  const text = shown.describe(one, RESULT_TOKENS);
  let tokens = shown.estimateTextTokens(text);
  const [line = '{}'] = text.split('\n');
  const described = toJson((JSON.parse(line) as Json)['inputSchema']);
  const validate = shown.compileSchema(toJson(definition['inputSchema']), { allProblems: true });
  if (typeof validate !== 'function') return Number.NaN;
  let given = toArguments(described);
  for (let mistakes = 0; mistakes <= MAX_MISTAKES; mistakes++) {
    tokens += shown.estimateTokens({ name: definition['name'], arguments: given });
    const problems = (validate as (value: unknown) => readonly string[])(given);
    if (problems.length === 0) return tokens;
    const only = new Set(problems.join(' ').match(/(?<=")[^".[]+/g));
    const { schema } = shown.trimSchema(toJson(definition['inputSchema']), { tokens: MISTAKE_TOKENS, only });
    tokens += shown.estimateTextTokens(problems.join('; ')) + shown.estimateTokens(schema);
    given = { ...given, ...toArguments(schema) };
  }
  return Number.NaN;
}

function toJson(value: unknown): Json {
  return isJson(value) ? value : {};
}

/** The required arguments, each with the simplest value that its schema as shown allows. */
function toArguments(schema: Json): Json {
  const required = Array.isArray(schema['required']) ? schema['required'].map(toText) : [];
  const properties = toJson(schema['properties']);
  return Object.fromEntries(required.map((name) => [name, toValue(toJson(properties[name]))]));
}

function toValue(schema: Json): unknown {
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  switch (schema['type']) {
    case 'object':
      return toArguments(schema);
    case 'array':
      return [toValue(toJson(schema['items']))];
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return true;
    default:
      return 'a';
  }
}
