import {
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { TaskRunner } from './task-runner.ts';

/** The extension of 2026-07-28 for long work (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

type Members = Readonly<Record<string, unknown>>;

const OF_TASK = z.looseObject({ taskId: z.string() });

/** What the client declares in this request; nothing where the era has no such declarations. */
export function capabilitiesOf({ mcpReq }: ServerContext): Members {
  // Its type has no members; the SDK has checked that this one is an object.
  return ((mcpReq.envelope as Members | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Members;
}

export function isTaskClient(server: ServerContext): boolean {
  const { extensions } = capabilitiesOf(server);
  return typeof extensions === 'object' && extensions !== null && Object.hasOwn(extensions, TASKS_EXTENSION);
}

/** Serves `tasks/get`, `tasks/update` and `tasks/cancel`. */
export function addTaskMethods({ server }: McpServer, tasks: () => TaskRunner): void {
  server.setRequestHandler('tasks/get', { params: OF_TASK }, async ({ taskId }, context) => {
    const task = tasks().get(taskId, toCaller(context));
    return task === undefined ? refuse(taskId) : { ...task };
  });
  server.setRequestHandler('tasks/update', { params: OF_TASK }, async ({ taskId }, context) => {
    // The SDK takes the answers out of the parameters.
    const answers = context.mcpReq.inputResponses ?? {};
    return (await tasks().update(taskId, toCaller(context), answers)) ? {} : refuse(taskId);
  });
  server.setRequestHandler('tasks/cancel', { params: OF_TASK }, async ({ taskId }, context) =>
    tasks().cancel(taskId, toCaller(context)) ? {} : refuse(taskId),
  );
}

/** @throws ProtocolError for a client that did not declare the extension */
function toCaller(context: ServerContext): string | undefined {
  if (context.mcpReq.envelope === undefined)
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Tasks are an extension of 2026-07-28.');
  if (!isTaskClient(context))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
  return context.http?.authInfo?.clientId;
}

function refuse(taskId: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task "${taskId}", or it has expired.`);
}
