import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  SSEClientTransport as SseV2,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Fields, Front } from './matrix/cells.ts';

/** Where a real client finds Sallyport. */
export interface Places {
  readonly url: string;
  readonly sse: string;
  readonly key: string;
  readonly stdio: { readonly args: readonly string[]; readonly env: Record<string, string> };
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

/** What the clients of both SDK generations have in common, so that one script drives them all. */
export interface RealClient {
  readonly modern: boolean;
  readonly heard: { readonly method: string; readonly params: Fields }[];
  readonly errors: Error[];
  callTool(params: { name: string; arguments?: Fields }, options?: CallOptions): Promise<Fields>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(params: { uri: string }): Promise<Fields>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<Fields>;
  complete(params: Completing): Promise<{ completion: { values: string[] } }>;
  setLoggingLevel(level: 'debug'): Promise<unknown>;
  /** From now on changes of lists and of this resource are heard. */
  follow(uri: string): Promise<() => Promise<unknown>>;
  serverName(): string | undefined;
  /** Ends the session as this client does it. */
  close(): Promise<void>;
}

type PlainRequests = Pick<
  RealClient,
  | 'listTools'
  | 'listResources'
  | 'listResourceTemplates'
  | 'readResource'
  | 'listPrompts'
  | 'getPrompt'
  | 'complete'
  | 'setLoggingLevel'
>;

interface Completing {
  readonly ref: { type: 'ref/resource'; uri: string };
  readonly argument: { name: string; value: string };
}

const info = { name: 'a real client', version: '1.0.0' };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
const sampled = { model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: 'Paris' } };
const rootList = { roots: [{ uri: 'file:///work', name: 'work' }] };

/** Of each form that is shown, only the members it asks for count. */
const ELICITED = { ok: true, name: 'Ada', color: 'red', response: 'yes', reason: 'so', decision: 'allow once' };

function elicited({ mode }: { mode?: string | undefined }) {
  return mode === 'url' ? { action: 'accept' as const } : { action: 'accept' as const, content: ELICITED };
}

const headers = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

/** `@modelcontextprotocol/sdk` 1.x, over each of its transports. */
export async function connectV1(front: Front, { url, sse, key, stdio }: Places): Promise<RealClient> {
  const client = new ClientV1(info, { capabilities });
  const heard: RealClient['heard'] = [];
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => elicited(params));
  client.setRequestHandler(CreateMessageRequestSchema, async () => sampled);
  client.setRequestHandler(ListRootsRequestSchema, async () => rootList);
  for (const schema of [
    LoggingMessageNotificationSchema,
    ToolListChangedNotificationSchema,
    PromptListChangedNotificationSchema,
    ResourceListChangedNotificationSchema,
    ResourceUpdatedNotificationSchema,
    ElicitationCompleteNotificationSchema,
  ])
    client.setNotificationHandler(schema, ({ method, params }) => void heard.push({ method, params: { ...params } }));
  const http = front === 'http' ? new HttpV1(new URL(url), headers(key)) : undefined;
  const transport =
    http ??
    (front === 'sse'
      ? new SseV1(new URL(sse), headers(key))
      : new StdioV1({ command: process.execPath, ...toChild(stdio) }));
  // The SDK's own types disagree about optional members under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    modern: false,
    heard,
    errors,
    callTool: (params, options) => client.callTool(params, undefined, options),
    ...toPlainRequests(client),
    async follow(uri) {
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
    serverName: () => client.getServerVersion()?.name,
    async close() {
      await http?.terminateSession();
      await client.close();
    },
  };
}

export type Mode = 'auto' | 'legacy' | 'modern';

/** `@modelcontextprotocol/client` 2.x in one of its three ways to agree on a revision. */
export async function connectV2(front: Front, mode: Mode, { url, sse, key, stdio }: Places): Promise<RealClient> {
  const versionNegotiation = { mode: mode === 'modern' ? { pin: '2026-07-28' } : mode } as const;
  const client = new ClientV2(info, { capabilities, versionNegotiation });
  const heard: RealClient['heard'] = [];
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  client.setRequestHandler('elicitation/create', async ({ params }) => elicited(params));
  client.setRequestHandler('sampling/createMessage', async () => sampled);
  client.setRequestHandler('roots/list', async () => rootList);
  for (const method of [
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
    'notifications/elicitation/complete',
  ] as const)
    client.setNotificationHandler(method, ({ params }) => void heard.push({ method, params: { ...params } }));
  const http = front === 'http' ? new HttpV2(new URL(url), headers(key)) : undefined;
  const transport =
    http ??
    (front === 'sse'
      ? new SseV2(new URL(sse), headers(key))
      : new StdioV2({ command: process.execPath, ...toChild(stdio) }));
  await client.connect(transport);
  const modern = client.getProtocolEra() === 'modern';
  return {
    modern,
    heard,
    errors,
    callTool: (params, options) => client.callTool(params, options),
    ...toPlainRequests(client),
    async follow(uri) {
      if (!modern) {
        await client.subscribeResource({ uri });
        return () => client.unsubscribeResource({ uri });
      }
      const listening = await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: [uri],
      });
      return () => listening.close();
    },
    serverName: () => client.getServerVersion()?.name,
    async close() {
      if (!modern) await http?.terminateSession();
      await client.close();
    },
  };
}

/** What is asked the same way in both generations. */
function toPlainRequests(client: PlainRequests): PlainRequests {
  return {
    listTools: () => client.listTools(),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: (params) => client.readResource(params),
    listPrompts: () => client.listPrompts(),
    getPrompt: (params) => client.getPrompt(params),
    complete: (params) => client.complete(params),
    setLoggingLevel: (level) => client.setLoggingLevel(level),
  };
}

function toChild({ args, env }: Places['stdio']) {
  return { args: [...args], env, stderr: 'ignore' as const };
}
