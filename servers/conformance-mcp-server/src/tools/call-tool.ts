import type { Call } from '../call.ts';
import { InputRequired, toMissingCapability } from '../input.ts';
import { codes, type Fields, isFields, RpcError, readText, toFields } from '../messages.ts';
import { toText } from '../samples.ts';
import { tasksExtension } from '../tasks.ts';
import type { World } from '../world.ts';
import { findTool } from './index.ts';
import type { Tool } from './tool.ts';

/** tools/call: at once, or as a task when the tool supports it and the client declared the extension. */
export async function callTool(call: Call, world: World): Promise<Fields> {
  const tool = findTool(readText(call.params, 'name'), call.era);
  if (tool === undefined) throw new RpcError(codes.invalidParams, `Unknown tool: ${String(call.params.name)}`);
  const args = toFields(call.params.arguments);
  const asTask = tool.task !== undefined && call.era === 'modern';
  const declared = asTask && hasTasks(call.capabilities);
  if (asTask && !declared && tool.task === 'required')
    throw toMissingCapability({ extensions: { [tasksExtension]: {} } });
  const ready = { ...args, ...(await tool.prepare?.(args, call, world)) };
  if (!declared) return run(tool, ready, call, world);
  return world.tasks.start(async ({ signal, ask }) => {
    // A task outlives its request: it says nothing on that request's stream any more.
    const alone: Call = { ...call, signal, ask, notify: silent, progress: silent, log: silent };
    return { resultType: 'complete', ...(await run(tool, ready, alone, world)) };
  });
}

export function hasTasks(capabilities: Fields): boolean {
  const extensions = capabilities.extensions;
  return isFields(extensions) && Object.hasOwn(extensions, tasksExtension);
}

async function run(tool: Tool, args: Fields, call: Call, world: World): Promise<Fields> {
  try {
    return await tool.run(args, call, world);
  } catch (error) {
    if (error instanceof RpcError || error instanceof InputRequired || call.signal.aborted) throw error;
    return { ...toText(error instanceof Error ? error.message : String(error)), isError: true };
  }
}

function silent(): void {}
