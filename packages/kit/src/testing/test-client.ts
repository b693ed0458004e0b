import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type CreateMessageRequestParams,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { createModernHandler } from '../modern-handler.ts';
import type { KitServer } from '../server.ts';

export type Era = 'legacy' | 'modern';

export interface TestClientOptions extends ClientOptions {
  /** `modern` (2026-07-28) unless set. */
  readonly era?: Era;
  /** Answers questions of tools, as a person would. */
  readonly answer?: (message: string) => { action: 'accept'; content: Record<string, never> } | { action: 'decline' };
  /** Answers as the client's model would. */
  readonly sample?: (params: CreateMessageRequestParams) => string;
}

/** A client of the SDK, connected to a server in this process. */
export interface TestClient {
  readonly client: Client;
  /** @throws Error with the text of the result when it is an error: `callFailing` is for those */
  call(name: string, input?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  /** The text of an expected error. @throws Error when the call succeeds */
  callFailing(name: string, input?: Readonly<Record<string, unknown>>): Promise<string>;
  raw(name: string, input?: Readonly<Record<string, unknown>>): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** Connects a client to a server without a network. */
export async function connectTestClient(server: KitServer, options: TestClientOptions = {}): Promise<TestClient> {
  const { era = 'modern', answer, sample, ...own } = options;
  const client = new Client(
    { name: 'kit-test-client', version: '1.0.0' },
    {
      ...own,
      capabilities: {
        ...own.capabilities,
        ...(answer === undefined ? {} : { elicitation: { form: {} } }),
        ...(sample === undefined ? {} : { sampling: {} }),
      },
      versionNegotiation: era === 'modern' ? { mode: { pin: '2026-07-28' } } : { mode: 'legacy' },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message) as never);
  if (sample !== undefined)
    client.setRequestHandler('sampling/createMessage', ({ params }) => ({
      role: 'assistant' as const,
      model: 'test-model',
      content: { type: 'text' as const, text: sample(params) },
    }));
  const end = era === 'modern' ? await connectModern(server, client) : await connectLegacy(server, client);
  const raw: TestClient['raw'] = async (name, input = {}) =>
    (await client.callTool({ name, arguments: { ...input } })) as CallToolResult;
  return {
    client,
    raw,
    async call(name, input) {
      const result = await raw(name, input);
      if (result.isError === true) throw new Error(textOf(result));
      return (result.structuredContent ?? {}) as Readonly<Record<string, unknown>>;
    },
    async callFailing(name, input) {
      const result = await raw(name, input);
      if (result.isError !== true) throw new Error(`${name} succeeded: ${textOf(result)}`);
      return textOf(result);
    },
    async close() {
      await client.close();
      await end();
    },
  };
}

export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

async function connectModern(server: KitServer, client: Client): Promise<() => Promise<void>> {
  const handler = createModernHandler(server);
  const transport = new StreamableHTTPClientTransport(new URL('http://kit.test/mcp'), {
    fetch: (url, init) => handler.fetch(new Request(url, init)),
  });
  await client.connect(transport);
  return () => handler.close();
}

async function connectLegacy(server: KitServer, client: Client): Promise<() => Promise<void>> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const served = server.create();
  await Promise.all([served.connect(theirs as never), client.connect(ours)]);
  return () => served.close();
}
