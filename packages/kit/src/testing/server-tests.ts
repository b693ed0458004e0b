import type { KitServer } from '../server.ts';
import { connectTestClient, type Era, type TestClient, type TestClientOptions, textOf } from './test-client.ts';

/** An example of a tool at work. */
export interface ToolExample {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Members the output must have; nothing is compared where it is left out. */
  readonly output?: Readonly<Record<string, unknown>>;
  /** Words the error must contain; without it the call must succeed. */
  readonly error?: RegExp;
}

export interface ServerTestOptions {
  /** A server with everything it needs; made anew for each test. */
  readonly create: () => KitServer | Promise<KitServer>;
  /** At least one for each tool. */
  readonly examples: readonly ToolExample[];
  /** Answers questions of tools, as a person would. */
  readonly answer?: TestClientOptions['answer'];
  /** Calls at once in the performance test; 50 unless set. */
  readonly atOnce?: number;
}

export type Kind = 'functional' | 'integration' | 'security' | 'performance' | 'error handling';

/** A test for any runner: `for (const { kind, name, run } of serverTests(…)) test(`${kind}: ${name}`, run)`. */
export interface ServerTest {
  readonly kind: Kind;
  readonly name: string;
  readonly run: () => Promise<void>;
}

const MAX_CHARACTERS = 25_000;
const INTERNALS = /\n\s+at .+:\d+|node_modules|node:internal/;
const HOSTILE = [
  '../../../../etc/passwd',
  '$(id)',
  '; id',
  '`id`',
  'http://169.254.169.254/',
  '\0',
  'x'.repeat(100_000),
  '__proto__',
];

/** The five kinds of tests that every server should pass, made from its definitions and a few examples. */
export function serverTests(options: ServerTestOptions): readonly ServerTest[] {
  return [
    ...functional(options),
    ...integration(options),
    ...security(options),
    ...performance(options),
    ...errors(options),
  ];
}

function functional({ examples, ...options }: ServerTestOptions): ServerTest[] {
  return examples.map((example, index) => ({
    kind: 'functional',
    name: `${example.tool}, example ${index + 1}`,
    run: () => withClient(options, 'modern', (client) => play(client, example)),
  }));
}

function integration({ examples, ...options }: ServerTestOptions): ServerTest[] {
  const missing = (names: readonly string[]) => names.filter((name) => !examples.some(({ tool }) => tool === name));
  return [
    {
      kind: 'integration',
      name: 'every tool is listed alike in both eras, and has an example',
      run: async () => {
        const list = (era: Era) => withClient(options, era, async ({ client }) => (await client.listTools()).tools);
        const [legacy, modern] = [await list('legacy'), await list('modern')];
        check(toText(legacy.map(({ name }) => name)) === toText(modern.map(({ name }) => name)), 'the lists differ');
        const without = missing(modern.map(({ name }) => name));
        check(without.length === 0, `there is no example for ${without.join(', ')}`);
      },
    },
    {
      kind: 'integration',
      name: 'the examples work for legacy clients too',
      run: async () => {
        for (const example of examples) await withClient(options, 'legacy', (client) => play(client, example));
      },
    },
  ];
}

function security(options: ServerTestOptions): ServerTest[] {
  return [
    {
      kind: 'security',
      name: 'hostile texts in any field give no result from outside, and no internals',
      run: () =>
        withClient(options, 'modern', async (client) => {
          for (const example of firstOfEach(options.examples)) {
            for (const [name, value] of Object.entries(example.input)) {
              const isList = Array.isArray(value) && typeof value[0] === 'string';
              if (typeof value !== 'string' && !isList) continue;
              for (const hostile of HOSTILE) {
                const input = { ...example.input, [name]: isList ? [hostile] : hostile };
                const text = textOf(await client.raw(example.tool, input));
                check(
                  !/root:[^:]*:0:0|uid=\d+\(/.test(text),
                  `${example.tool}: "${hostile.slice(0, 40)}" in ${name} reached the machine`,
                );
                check(!INTERNALS.test(text), `${example.tool}: "${hostile.slice(0, 40)}" in ${name} shows internals`);
              }
            }
          }
        }),
    },
    {
      kind: 'security',
      name: 'members that no field describes are refused',
      run: () =>
        withClient(options, 'modern', async (client) => {
          for (const { tool, input } of firstOfEach(options.examples)) {
            const text = await client.callFailing(tool, { ...input, unexpected_member: true });
            check(text.includes('unexpected_member'), `${tool}: the error does not name the member: ${text}`);
          }
        }),
    },
  ];
}

function performance({ atOnce = 50, ...options }: ServerTestOptions): ServerTest[] {
  return [
    {
      kind: 'performance',
      name: `${atOnce} calls at once are all answered, and no result is too large for a model`,
      run: () =>
        withClient(options, 'modern', async (client) => {
          for (const { tool, input, error } of firstOfEach(options.examples)) {
            if (error !== undefined) continue;
            const results = await Promise.all(Array.from({ length: atOnce }, () => client.raw(tool, input)));
            for (const result of results) {
              const { length } = JSON.stringify(result.structuredContent ?? {});
              check(length <= MAX_CHARACTERS, `${tool}: a result has ${length} characters`);
            }
          }
        }),
    },
  ];
}

function errors(options: ServerTestOptions): ServerTest[] {
  return [
    {
      kind: 'error handling',
      name: 'a missing or wrong value is an error that names it',
      run: () =>
        withClient(options, 'modern', async (client) => {
          const { tools } = await client.client.listTools();
          for (const { name, inputSchema } of tools) {
            for (const field of (inputSchema.required ?? []) as readonly string[]) {
              const text = await client.callFailing(name, {});
              check(text.includes(field), `${name}: the error does not name "${field}": ${text}`);
            }
            const [field] = Object.keys(inputSchema.properties ?? {});
            if (field === undefined) continue;
            const text = await client.callFailing(name, { [field]: { wrong: ['type'] } });
            check(text.includes(field), `${name}: the error does not name "${field}": ${text}`);
            check(!INTERNALS.test(text), `${name}: an error shows internals: ${text}`);
          }
        }),
    },
  ];
}

async function play(client: TestClient, { tool, input, output, error }: ToolExample): Promise<void> {
  const result = await client.raw(tool, input);
  const text = textOf(result);
  if (error !== undefined) {
    check(result.isError === true, `${tool} succeeded: ${text}`);
    check(error.test(text), `${tool}: the error is not like ${error}: ${text}`);
    return;
  }
  check(result.isError !== true, `${tool} failed: ${text}`);
  for (const [name, wanted] of Object.entries(output ?? {})) {
    const found = (result.structuredContent as Readonly<Record<string, unknown>> | undefined)?.[name];
    check(toText(found) === toText(wanted), `${tool}: ${name} is ${toText(found)} and not ${toText(wanted)}`);
  }
}

function firstOfEach(examples: readonly ToolExample[]): readonly ToolExample[] {
  return [...new Map([...examples].reverse().map((example) => [example.tool, example])).values()];
}

async function withClient<T>(
  { create, answer }: Omit<ServerTestOptions, 'examples'>,
  era: Era,
  work: (client: TestClient) => Promise<T>,
): Promise<T> {
  const server = await create();
  const client = await connectTestClient(server, { era, ...(answer === undefined ? {} : { answer }) });
  try {
    return await work(client);
  } finally {
    await client.close();
    await server.close();
  }
}

function toText(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

function check(isTrue: boolean, message: string): asserts isTrue {
  if (!isTrue) throw new Error(message);
}
