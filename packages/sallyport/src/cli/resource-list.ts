import { member } from '../core/json.ts';
import { defineListCommand } from './list-command.ts';
import { RESOURCES, TEMPLATES } from './list-items.ts';

export const resourceList = defineListCommand({
  name: 'resource list',
  summary: 'list the resources and resource templates of a server',
  example: 'sallyport resource list https://example.com/mcp',
  lists: [RESOURCES, TEMPLATES],
  headings: ['uri', 'type', 'name'],
  toRow: (item) => [
    String(member(item, 'uri') ?? member(item, 'uriTemplate') ?? ''),
    String(member(item, 'mimeType') ?? ''),
    String(member(item, 'title') ?? member(item, 'name') ?? ''),
  ],
});
