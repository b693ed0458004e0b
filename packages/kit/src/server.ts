import { randomUUID } from 'node:crypto';
import { completable, McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type CallStore, openCallStore } from './call-store.ts';
import { type CallPorts, callTool } from './call-tool.ts';
import { DefinitionError } from './definition-error.ts';
import { ToolFailure } from './fail.ts';
import { assertServerName } from './names.ts';
import type { Prompt } from './prompt.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { isTemplate, type Resource, toTemplate } from './resource.ts';
import { type CallNote, toFailure } from './run-tool.ts';
import { toObjectSchema } from './schema.ts';
import { createSeal } from './seal.ts';
import { readSecrets, type SecretRule, type Secrets } from './secrets.ts';
import { type ServeOptions, type Serving, serve } from './serve.ts';
import { addTaskMethods, TASKS_EXTENSION } from './tasks/task-methods.ts';
import { TaskRunner } from './tasks/task-runner.ts';
import { openTaskStore } from './tasks/task-store.ts';
import type { Tool } from './tool.ts';
import { writeNote } from './write-note.ts';

/** A server as its author writes it. */
export interface ServerDefinition<
  S extends Readonly<Record<string, SecretRule>> = Readonly<Record<string, SecretRule>>,
> {
  /** `{service}-mcp-server` */
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** For models: what the server is for, and how its tools work together. */
  readonly instructions?: string;
  readonly tools?: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  /** Environment variables that must be there; checked before anything is served. */
  readonly secrets?: S;
  /** Characters of one result; 25,000 unless set. */
  readonly maxCharacters?: number;
  /** SQLite file for tasks and for results of calls with an idempotency key; without it, they are forgotten on restart. */
  readonly callsFile?: string;
  /** Receives one note per call; one JSON line on stderr unless set. */
  readonly note?: (note: CallNote) => void;
  /** Runs once when the server ends. */
  readonly close?: () => void | Promise<void>;
}

/** A checked server. */
export interface KitServer {
  readonly definition: ServerDefinition;
  /** What works on tasks, opened when first asked for; `undefined` where no tool has `task`. */
  readonly tasks: (() => TaskRunner) | undefined;
  /** A server of the SDK for one connection or request. */
  create(): McpServer;
  /** Serves as the command line says (`-t stdio|http|sse`, `--host`, `--port`), until a signal ends it. */
  serve(options?: ServeOptions): Promise<Serving>;
  close(): Promise<void>;
}

const MAX_CHARACTERS = 25_000;

/** Declares a server. @throws DefinitionError for a bad name, or two things with one name */
export function defineServer<S extends Readonly<Record<string, SecretRule>>>(
  definition: ServerDefinition<S>,
): KitServer {
  assertServerName(definition.name);
  const { tools = [], resources = [], prompts = [] } = definition;
  assertUnique(
    'tool',
    tools.map(({ name }) => name),
  );
  assertUnique(
    'resource',
    resources.map(({ uri }) => uri),
  );
  assertUnique(
    'prompt',
    prompts.map(({ name }) => name),
  );
  const seal = createSeal(process.env['KIT_STATE_SECRET']);
  let results: CallStore | undefined;
  let runner: TaskRunner | undefined;
  let closing: Promise<void> | undefined;
  const maxCharacters = definition.maxCharacters ?? MAX_CHARACTERS;
  const note = definition.note ?? writeNote;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const ports: CallPorts = {
    seal,
    limiter: createRateLimiter(),
    results: () => {
      results ??= openCallStore(definition.callsFile ?? ':memory:');
      return results;
    },
    tasks: () => {
      runner ??= new TaskRunner({
        store: openTaskStore(definition.callsFile ?? ':memory:'),
        tools: byName,
        maxCharacters,
        note,
      });
      return runner;
    },
    maxCharacters,
    note,
  };
  const server: KitServer = {
    definition,
    tasks: tools.some((tool) => tool.definition.task !== undefined) ? ports.tasks : undefined,
    create: () => createMcpServer(server, ports),
    serve: (options = {}) => serve(server, options),
    close() {
      closing ??= (async () => {
        runner?.close();
        await definition.close?.();
        results?.close();
      })();
      return closing;
    },
  };
  return server;
}

/** The secrets of a server, by their names in its definition. @throws DefinitionError naming every missing one */
export function secretsOf<S extends Readonly<Record<string, SecretRule>>>(rules: S): Secrets<S> {
  return readSecrets(rules, process.env);
}

function createMcpServer({ definition, tasks }: KitServer, ports: CallPorts): McpServer {
  const { name, version, title, instructions, tools = [], resources = [], prompts = [] } = definition;
  const server = new McpServer(
    { name, version, ...(title === undefined ? {} : { title }) },
    {
      capabilities: { logging: {}, ...(tasks === undefined ? {} : { extensions: { [TASKS_EXTENSION]: {} } }) },
      ...(instructions === undefined ? {} : { instructions }),
      requestState: { verify: (state) => ports.seal.open(state) },
    },
  );
  for (const tool of tools) addTool(server, tool);
  if (tools.length > 0) addCalls(server, tools, ports);
  if (tasks !== undefined) addTaskMethods(server, tasks);
  for (const resource of resources) addResource(server, resource, ports);
  for (const prompt of prompts) addPrompt(server, prompt, ports);
  return server;
}

function addTool(server: McpServer, tool: Tool): void {
  const { title, description, hints, icons } = tool.definition;
  const { inputSchema, outputSchema } = tool;
  server.registerTool(
    tool.name,
    {
      title,
      description,
      inputSchema,
      outputSchema,
      annotations: {
        title,
        readOnlyHint: hints.readOnly,
        destructiveHint: hints.destructive,
        idempotentHint: hints.idempotent,
        openWorldHint: hints.openWorld,
      },
      ...(icons === undefined ? {} : { icons: [...icons] }),
    },
    () => {
      throw new Error('tools/call is served by addCalls');
    },
  );
}

/** Calls of tools, which the SDK would let return results only: some of ours start a task. */
function addCalls(server: McpServer, tools: readonly Tool[], ports: CallPorts): void {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  server.server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = byName.get(params.name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${params.name} not found`);
    const args = params.arguments ?? {};
    const checked = await tool.inputSchema['~standard'].validate(args);
    if (checked.issues === undefined) return callTool(tool, { args, input: checked.value }, { server: context, ports });
    const problems = checked.issues.map(({ path = [], message }) => `${path.map(String).join('.')}: ${message}`);
    return toFailure(
      `The arguments of ${tool.name} do not fit: ${problems.join('; ')}.`,
      'Correct them and call again.',
    );
  });
}

function addResource(server: McpServer, resource: Resource, ports: CallPorts): void {
  const { name, uri, description, mimeType } = resource;
  const read = async (address: URL, values: Readonly<Record<string, string | string[]>> = {}) => {
    const single = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));
    const content = await safely(name, ports, () => resource.read(address, single));
    const body = typeof content === 'string' ? { text: content } : { blob: Buffer.from(content).toString('base64') };
    return { contents: [{ uri: address.href, mimeType, ...body }] };
  };
  const metadata = { description, mimeType };
  if (isTemplate(resource))
    server.registerResource(name, toTemplate(resource), metadata, (at, values) => read(at, values));
  else server.registerResource(name, uri, metadata, (at) => read(at));
}

function addPrompt(server: McpServer, prompt: Prompt, ports: CallPorts): void {
  const { name, title, description, input, complete = {} } = prompt;
  // Where the SDK looks for what completes an argument.
  const shape = Object.fromEntries(
    Object.entries(complete).map(([argument, values]) => [
      argument,
      completable(toObjectSchema({}), (start) => values?.(String(start)) ?? []),
    ]),
  );
  server.registerPrompt(
    name,
    { title, description, argsSchema: { ...toObjectSchema(input), shape } },
    async (values) => {
      const text = await safely(name, ports, () => prompt.text(values as never));
      return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
    },
  );
}

/** Reads a resource or makes a prompt: these have no results with errors, only errors of the protocol. @throws ProtocolError */
async function safely<T>(name: string, { note }: CallPorts, work: () => T | Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof ToolFailure)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.message} ${error.nextStep}`);
    const reference = randomUUID().slice(0, 8);
    const ms = Math.round(performance.now() - startedAt);
    note({ tool: name, caller: undefined, outcome: 'error', ms, reference, cause: error });
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `${name} failed because of a fault in the server (reference ${reference}).`,
    );
  }
}

function assertUnique(kind: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new DefinitionError(`The ${kind} "${twice}"`, `two have this name.`, 'Rename one of them.');
}
