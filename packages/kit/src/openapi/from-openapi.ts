import { createHash } from 'node:crypto';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { fail } from '../fail.ts';
import { MAX_NAME } from '../names.ts';
import { defineResource, type Resource } from '../resource.ts';
import { type Field, field, type JsonSchema, type Schema } from '../schema.ts';
import { defineTool, type Tool } from '../tool.ts';
import { type ApiDocument, type Operation, type Parameter, readDocument } from './document.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { type Call, sendRequest } from './send-request.ts';
import { countFitting, shorten, shortenSchema } from './shorten.ts';

/** Which tools come of a document, and how they look. */
export interface OpenApiOptions {
  /** First word of every tool's name, for example `shop`. */
  readonly service: string;
  /** Only operations with one of these tags, ids or methods; all unless set. */
  readonly tags?: readonly string[];
  readonly operations?: readonly string[];
  readonly methods?: readonly string[];
  /** By operation id: another name or title for its tool, behind the service. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Parameters that no tool shows, by name. A required one needs a preset. */
  readonly hide?: readonly string[];
  /** Values that are always sent, by parameter. */
  readonly preset?: Readonly<Record<string, unknown>>;
  /** One tool for several operations: its name behind the service, and the operation of each action. */
  readonly merge?: Readonly<
    Record<string, { readonly description: string; readonly actions: Readonly<Record<string, string>> }>
  >;
  /** Where requests go; the first server of the document unless set. */
  readonly baseUrl?: string;
  /** Headers with credentials; called for each request, so that no credential is ever an argument. */
  readonly authenticate?: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Tokens of one definition, about; optional parameters beyond it are passed in `more`. 350 unless set. */
  readonly tokens?: number;
}

export interface OpenApiTools {
  readonly tools: readonly Tool[];
  /** The full texts and all parameters of each operation, for a model that needs them. */
  readonly resources: readonly Resource[];
  /** About how many tokens the definitions cost, as they stand in the document and as tools. */
  readonly report: readonly { readonly tool: string; readonly before: number; readonly after: number }[];
}

const TOKENS = 350;
const DESCRIPTION = 200;
const PARAMETER = 60;
const MORE = 'more';

/**
 * Tools for the operations of an OpenAPI document (3.0 or 3.1, JSON or YAML). Definitions are short; every required parameter is in
 * them, and whatever does not fit is passed in `more` and described in a resource.
 * @throws DefinitionError for a document that cannot be read, or a name that no operation has
 */
export function fromOpenApi(source: string | Readonly<Record<string, unknown>>, options: OpenApiOptions): OpenApiTools {
  const document = readDocument(source);
  const merged = new Set(Object.values(options.merge ?? {}).flatMap(({ actions }) => Object.values(actions)));
  const single = document.operations.filter((operation) => isChosen(operation, options) && !merged.has(operation.id));
  const made = [
    ...single.map((operation) => toTool(toName(operation, options), new Map([['', operation]]), { document, options })),
    ...Object.entries(options.merge ?? {}).map(([name, { description, actions }]) => {
      const operations = new Map(Object.entries(actions).map(([action, id]) => [action, findOperation(document, id)]));
      return toTool(`${options.service}_${name}`, operations, { document, options, description });
    }),
  ];
  return {
    tools: made.map(({ tool }) => tool),
    resources: made.map(({ resource }) => resource),
    report: made.map(({ tool, before, after }) => ({ tool: tool.name, before, after })),
  };
}

function isChosen({ id, method, tags: own }: Operation, { tags, operations, methods }: OpenApiOptions): boolean {
  return (
    (tags === undefined || own.some((tag) => tags.includes(tag))) &&
    (operations === undefined || operations.includes(id)) &&
    (methods === undefined || methods.some((one) => one.toLowerCase() === method))
  );
}

function findOperation({ operations }: ApiDocument, id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found !== undefined) return found;
  throw new TypeError(
    `The document has no operation "${id}". It has ${operations
      .map((operation) => operation.id)
      .slice(0, 20)
      .join(', ')}.`,
  );
}

interface Making {
  readonly document: ApiDocument;
  readonly options: OpenApiOptions;
  readonly description?: string;
}

function toTool(name: string, operations: ReadonlyMap<string, Operation>, making: Making) {
  const { options, document } = making;
  const [first] = operations.values();
  const isMerged = !operations.has('');
  const hidden = new Set([...(options.hide ?? []), ...Object.keys(options.preset ?? {})]);
  const parameters = parametersOf(operations).filter((one) => !hidden.has(one.name));
  const uri = `openapi://${options.service}/${name}`;
  const fields = toFields(parameters, {
    tokens: options.tokens ?? TOKENS,
    uri,
    actions: isMerged ? [...operations.keys()] : [],
  });
  const text = making.description ?? `${first?.summary || first?.description || name}`;
  const isRead = [...operations.values()].every(({ method }) => method === 'get' || method === 'head');
  const tool = defineTool({
    name,
    title: shorten(first?.summary || name.replaceAll('_', ' '), 60),
    description: describe(text, name),
    input: fields as Readonly<Record<string, Field>>,
    output: {
      status: field('HTTP status', fromJsonSchema({ type: 'integer' })),
      body: field('What the service answered', bodySchema(first)),
    },
    hints: {
      readOnly: isRead,
      destructive: [...operations.values()].some(({ method }) => method === 'delete'),
      idempotent: [...operations.values()].every(({ method }) => method !== 'post' && method !== 'patch'),
      openWorld: true,
    },
    run: (input, { signal }) => send(operations, input, { document, options, signal }) as never,
  });
  const { inputSchema } = tool;
  const shown = {
    name,
    description: describe(text, name),
    inputSchema: inputSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }),
  };
  const full = [...operations.values()].map(({ id, description, parameters: all }) => ({
    id,
    description,
    parameters: all,
  }));
  const resource = defineResource({
    uri,
    name,
    description: `Everything about ${name}: the full description and all parameters`,
    mimeType: 'application/json',
    read: () => JSON.stringify(full, undefined, 1),
  });
  return {
    tool,
    resource,
    before: full.reduce((sum, one) => sum + estimateTokens(one), 0),
    after: estimateTokens(shown),
  };
}

function describe(text: string, name: string): string {
  const short = shorten(text, DESCRIPTION);
  return short.length >= 20 ? short : `${short || name} (${name.replaceAll('_', ' ')})`.padEnd(20, '.');
}

/** Of several operations, a parameter is required where all of them require it; the rest is checked when it is called. */
function parametersOf(operations: ReadonlyMap<string, Operation>): readonly Parameter[] {
  const found = new Map<string, Parameter>();
  const counts = new Map<string, number>();
  for (const { parameters } of operations.values())
    for (const one of parameters) {
      if (one.isRequired) counts.set(one.name, (counts.get(one.name) ?? 0) + 1);
      if (!found.has(one.name)) found.set(one.name, one);
    }
  return [...found.values()].map((one) => ({ ...one, isRequired: counts.get(one.name) === operations.size }));
}

function toFields(
  parameters: readonly Parameter[],
  { tokens, uri, actions }: { readonly tokens: number; readonly uri: string; readonly actions: readonly string[] },
): Record<string, Field> {
  const fields: Record<string, Field> = {};
  if (actions.length > 0)
    fields['action'] = field('What to do', toSchema({ type: 'string', enum: [...actions] }, true));
  const required = parameters.filter(({ isRequired }) => isRequired);
  const optional = parameters.filter(({ isRequired }) => !isRequired);
  const toField = ({ name, description, schema, isRequired }: Parameter): Field =>
    field(shorten(description, PARAMETER) || name, toSchema(shortenSchema(schema, PARAMETER), isRequired));
  for (const one of required) fields[one.name] = toField(one);
  const spent = required.reduce(
    (sum, one) => sum + estimateTokens(shortenSchema(one.schema, PARAMETER)) + PARAMETER / 4,
    100,
  );
  const costs = optional.map((one) => [
    one.name,
    shortenSchema(one.schema, PARAMETER),
    shorten(one.description, PARAMETER),
  ]);
  const count = countFitting(costs, tokens - spent);
  for (const one of optional.slice(0, count)) fields[one.name] = toField(one);
  if (count < optional.length)
    fields[MORE] = field(
      `${optional.length - count} further parameters by name; ${uri} describes them`,
      toSchema({ type: 'object' }, false),
    );
  return fields;
}

/** The schema of one parameter; an optional one accepts that it is left out. */
function toSchema(schema: JsonSchema, isRequired: boolean): Schema {
  const checked = fromJsonSchema(schema as never) as Schema;
  if (isRequired) return checked;
  const { validate, ...standard } = checked['~standard'];
  return {
    '~standard': { ...standard, validate: (value: unknown) => (value === undefined ? { value } : validate(value)) },
  } as Schema;
}

/** What comes back is described by its type and first members; its form is the service's own. */
function bodySchema(operation: Operation | undefined): Schema {
  const type = operation?.response?.['type'];
  return fromJsonSchema((type === 'object' || type === 'array' ? { type } : {}) as never) as Schema;
}

function toName({ id }: Operation, { service, rename }: OpenApiOptions): string {
  const own = rename?.[id];
  const words = (own ?? id)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const name = words.startsWith(`${service}_`) ? words : `${service}_${words}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 6);
  return `${name.slice(0, MAX_NAME - 7).replace(/_+$/, '')}_${hash}`;
}

async function send(
  operations: ReadonlyMap<string, Operation>,
  input: Readonly<Record<string, unknown>>,
  { document, options, signal }: Omit<Making, 'description'> & { readonly signal: AbortSignal },
) {
  const { action = '', [MORE]: more = {}, ...own } = input;
  const operation = operations.get(String(action)) ?? operations.get('');
  if (operation === undefined)
    return fail(`There is no action "${String(action)}".`, `Use one of ${[...operations.keys()].join(', ')}.`);
  const values = { ...(more as Readonly<Record<string, unknown>>), ...own, ...options.preset };
  const missing = operation.parameters.filter(({ name, isRequired }) => isRequired && values[name] === undefined);
  if (missing.length > 0)
    return fail(
      `${operation.id} needs ${missing.map(({ name }) => name).join(', ')}.`,
      'Call it again with these parameters.',
    );
  const unknown = Object.keys(values).filter((name) => !operation.parameters.some((one) => one.name === name));
  if (unknown.length > 0 && operations.size === 1 && unknown.some((name) => !Object.hasOwn(options.preset ?? {}, name)))
    return fail(
      `${operation.id} has no parameter ${unknown.join(', ')}.`,
      'Remove it, or look at the parameters in the resource of this tool.',
    );
  const base = options.baseUrl ?? document.baseUrl;
  if (base === undefined) throw new TypeError('the document names no server: give baseUrl');
  const call: Call = { operation, values, base, headers: (await options.authenticate?.()) ?? {}, signal };
  return sendRequest(call);
}
