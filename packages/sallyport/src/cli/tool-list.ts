import { member } from '../core/json.ts';
import { defineListCommand } from './list-command.ts';
import { TOOLS } from './list-items.ts';

export const toolList = defineListCommand({
  name: 'tool list',
  summary: 'list the tools of a server',
  example: 'sallyport tool list -- npx -y @modelcontextprotocol/server-everything',
  lists: [TOOLS],
  headings: ['tool', 'description'],
  toRow: (tool) => [
    String(member(tool, 'name') ?? ''),
    String(member(tool, 'description') ?? member(tool, 'title') ?? ''),
  ],
});
