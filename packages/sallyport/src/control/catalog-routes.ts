import type { JsonObject } from '../core/json.ts';
import { isObject, member } from '../core/json.ts';
import { describePage, pageOfItems } from './page.ts';
import type { ControlPorts } from './ports.ts';
import { objectOf, PAGE_PARAMETERS, pageOf, type Route, type Schema } from './route.ts';

const TOOL: Schema = {
  type: 'object',
  additionalProperties: true,
  required: ['name'],
  properties: { name: { type: 'string', description: 'As clients of the shared endpoint call it.' } },
  description: 'The definition as clients see it.',
};

const REPORT: Schema = objectOf({
  upstream: { type: 'string' },
  item: { type: 'string' },
  problem: { type: 'string' },
});

/** What the servers offer, as the shared endpoint shows it, and what was left out. */
export function catalogRoutes({ catalog, snapshot, viewer }: ControlPorts): readonly Route[] {
  const allTools = async (): Promise<JsonObject[]> => {
    const view = await catalog.view(snapshot(), { kind: 'all' }, viewer, { method: 'tools/list', params: {} });
    const tools: JsonObject[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = view.list('tools', cursor);
      const items = JSON.parse(page.items) as unknown;
      if (Array.isArray(items)) tools.push(...items.filter((item): item is JsonObject => isObject(item)));
      if (page.nextCursor === undefined) return tools;
      cursor = page.nextCursor;
    }
  };
  return [
    {
      method: 'GET',
      path: '/tools',
      id: 'listTools',
      summary: 'The tools of all servers, by name',
      role: 'viewer',
      query: [
        ...PAGE_PARAMETERS,
        { name: 'contains', description: 'Only tools whose name holds this.', schema: { type: 'string' } },
      ],
      result: pageOf(TOOL),
      handle: async ({ query }) => {
        const part = query.get('contains')?.toLowerCase() ?? '';
        const nameOf = (tool: JsonObject) => String(member(tool, 'name'));
        const tools = (await allTools()).filter((tool) => nameOf(tool).toLowerCase().includes(part));
        tools.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
        return describePage(pageOfItems(tools, query, nameOf), (tool) => tool);
      },
    },
    {
      method: 'GET',
      path: '/problems',
      id: 'listProblems',
      summary: 'What was left out of the lists, and why',
      role: 'viewer',
      result: pageOf(REPORT),
      handle: () => ({ items: catalog.reports().map(({ upstream, item, problem }) => ({ upstream, item, problem })) }),
    },
  ];
}
