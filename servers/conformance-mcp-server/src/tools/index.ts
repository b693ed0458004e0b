import type { Era, Fields } from '../messages.ts';
import type { World } from '../world.ts';
import { inputTools } from './input-tools.ts';
import { matrixTools } from './matrix-tools.ts';
import { suiteTools } from './suite-tools.ts';
import { taskTools } from './task-tools.ts';
import { defineTool, type Tool } from './tool.ts';
import { triggerTools } from './trigger-tools.ts';

const tools: readonly Tool[] = [...suiteTools, ...inputTools, ...taskTools, ...matrixTools, ...triggerTools];

const extraTool = defineTool('extra_tool', () => ({ content: [{ type: 'text', text: 'I am listed now.' }] }), {
  about: 'Comes and goes with test_trigger_tool_change',
});

const byName = new Map([...tools, extraTool].map((tool) => [tool.definition.name, tool]));

export function listTools(world: World, era: Era): Fields[] {
  const listed = world.extras.tools ? [...tools, extraTool] : tools;
  return listed.filter((tool) => tool.only === undefined || tool.only === era).map((tool) => tool.definition);
}

export function findTool(name: string, era: Era): Tool | undefined {
  const tool = byName.get(name);
  return tool === undefined || (tool.only !== undefined && tool.only !== era) ? undefined : tool;
}
