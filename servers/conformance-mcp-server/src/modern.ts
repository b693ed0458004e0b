import { createCall, isLogLevel, type Reply } from './call.ts';
import { createRetryAsk, InputRequired, toMissingCapability } from './input.ts';
import { codes, type Fields, isFields, type Request, RpcError, toErrorMessage, toFields } from './messages.ts';
import { type Method, sharedMethods, toMethodNotFound } from './methods.ts';
import { tasksExtension } from './tasks.ts';
import { hasTasks } from './tools/call-tool.ts';
import { type Change, instructions, serverInfo, type World } from './world.ts';

export const modernRevision = '2026-07-28';

const metaPrefix = 'io.modelcontextprotocol/';

const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
  extensions: { [tasksExtension]: {} },
};

/** Results that must carry caching hints, and for how long each stays true. */
const cacheHints: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ['server/discover', { ttlMs: 60_000, cacheScope: 'public' }],
  ['tools/list', { ttlMs: 60_000, cacheScope: 'public' }],
  ['prompts/list', { ttlMs: 60_000, cacheScope: 'public' }],
  ['resources/list', { ttlMs: 60_000, cacheScope: 'public' }],
  ['resources/templates/list', { ttlMs: 60_000, cacheScope: 'public' }],
  ['resources/read', { ttlMs: 0, cacheScope: 'private' }],
]);

const modernMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ...sharedMethods,
  ['server/discover', () => ({ supportedVersions: [modernRevision], capabilities, instructions })],
  ['tasks/get', (call, world) => world.tasks.get(call.params.taskId)],
  [
    'tasks/update',
    (call, world) => {
      world.tasks.update(call.params.taskId, call.params.inputResponses);
      return {};
    },
  ],
  [
    'tasks/cancel',
    (call, world) => {
      world.tasks.cancel(call.params.taskId);
      return {};
    },
  ],
]);

/** True when the sender means the modern era: it says which revision this request is made under. */
export function isModern(params: unknown): boolean {
  return isFields(params) && isFields(params._meta) && params._meta[`${metaPrefix}protocolVersion`] !== undefined;
}

export function readRevision(params: unknown): unknown {
  return toFields(toFields(params)._meta)[`${metaPrefix}protocolVersion`];
}

/** Throws -32602 when the required request metadata is incomplete, -32022 for a revision we do not speak. */
export function checkMeta(request: Request): void {
  const meta = toFields(request.params?._meta);
  const revision = meta[`${metaPrefix}protocolVersion`];
  if (typeof revision !== 'string' || !isFields(meta[`${metaPrefix}clientCapabilities`])) {
    const message = `_meta must hold ${metaPrefix}protocolVersion and ${metaPrefix}clientCapabilities; this server speaks ${modernRevision}`;
    throw new RpcError(codes.invalidParams, message, { status: 400, data: { supported: [modernRevision] } });
  }
  if (revision !== modernRevision) {
    const data = { supported: [modernRevision], requested: revision };
    throw new RpcError(codes.unsupportedVersion, 'Unsupported protocol version', { status: 400, data });
  }
}

/** Serves one request of the modern era; answers exactly once, or never when the requester has cancelled. */
export async function serveModern(world: World, request: Request, reply: Reply): Promise<void> {
  try {
    checkMeta(request);
    if (request.method === 'subscriptions/listen') return listen(world, request, reply);
    const result = await answer(world, request, reply);
    if (!reply.signal.aborted) reply.end({ jsonrpc: '2.0', id: request.id, result: seal(request.method, result) });
  } catch (error) {
    if (reply.signal.aborted) return;
    reply.end(toErrorMessage(error, request.id), error instanceof RpcError ? error.status : 200);
  }
}

async function answer(world: World, request: Request, reply: Reply): Promise<Fields> {
  const method = modernMethods.get(request.method);
  if (method === undefined) throw toMethodNotFound(request.method);
  const meta = toFields(request.params?._meta);
  const declared = toFields(meta[`${metaPrefix}clientCapabilities`]);
  if (request.method.startsWith('tasks/') && !hasTasks(declared)) {
    throw toMissingCapability({ extensions: { [tasksExtension]: {} } });
  }
  const level = meta[`${metaPrefix}logLevel`];
  const call = createCall(request, reply, {
    era: 'modern',
    revision: modernRevision,
    capabilities: declared,
    ask: createRetryAsk(request, declared),
    logLevel: () => (isLogLevel(level) ? level : undefined),
  });
  try {
    return await method(call, world);
  } catch (error) {
    if (error instanceof InputRequired) return error.result;
    throw error;
  }
}

function seal(method: string, result: Fields): Fields {
  const hints = result.resultType === 'input_required' ? {} : (cacheHints.get(method) ?? {});
  return {
    resultType: 'complete',
    ...hints,
    ...result,
    _meta: { ...toFields(result._meta), [`${metaPrefix}serverInfo`]: serverInfo },
  };
}

/** Which notification a change becomes on a listen stream with this filter, if any. */
type Filter = (change: Change) => { method: string; params: Fields } | undefined;

function listen(world: World, request: Request, reply: Reply): void {
  const asked = request.params?.notifications;
  if (!isFields(asked)) throw new RpcError(codes.invalidParams, 'notifications must be an object');
  const honored = honor(world, asked, toFields(toFields(request.params?._meta)[`${metaPrefix}clientCapabilities`]));
  const filter = toFilter(honored);
  const _meta = { [`${metaPrefix}subscriptionId`]: request.id };
  const tell = (method: string, params: Fields): void => {
    if (!reply.signal.aborted) reply.send({ jsonrpc: '2.0', method, params: { _meta, ...params } });
  };
  tell('notifications/subscriptions/acknowledged', { notifications: honored });
  const stop = world.listen((change) => {
    const notification = filter(change);
    if (notification !== undefined) tell(notification.method, notification.params);
  });
  const end = (): void => {
    stop();
    world.shutdown.removeEventListener('abort', close);
  };
  const close = (): void => {
    end();
    if (!reply.signal.aborted) reply.end({ jsonrpc: '2.0', id: request.id, result: { resultType: 'complete', _meta } });
  };
  reply.signal.addEventListener('abort', end, { once: true });
  world.shutdown.addEventListener('abort', close, { once: true });
}

function honor(world: World, asked: Fields, declared: Fields): Fields {
  const honored: Fields = {};
  for (const name of ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged']) {
    if (asked[name] === true) honored[name] = true;
  }
  if (Array.isArray(asked.resourceSubscriptions)) {
    honored.resourceSubscriptions = asked.resourceSubscriptions.filter((uri) => typeof uri === 'string');
  }
  if (Array.isArray(asked.taskIds)) {
    if (!hasTasks(declared)) throw toMissingCapability({ extensions: { [tasksExtension]: {} } });
    honored.taskIds = asked.taskIds.filter((id) => typeof id === 'string' && world.tasks.has(id));
  }
  return honored;
}

function toFilter(honored: Fields): Filter {
  const uris = new Set(Array.isArray(honored.resourceSubscriptions) ? honored.resourceSubscriptions : []);
  const taskIds = new Set(Array.isArray(honored.taskIds) ? honored.taskIds : []);
  return (change) => {
    switch (change.kind) {
      case 'resource':
        return uris.has(change.uri)
          ? { method: 'notifications/resources/updated', params: { uri: change.uri } }
          : undefined;
      case 'task':
        return taskIds.has(change.task.taskId) ? { method: 'notifications/tasks', params: change.task } : undefined;
      default:
        return honored[`${change.kind}ListChanged`] === true
          ? { method: `notifications/${change.kind}/list_changed`, params: {} }
          : undefined;
    }
  };
}
