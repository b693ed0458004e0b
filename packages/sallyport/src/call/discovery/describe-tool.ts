import { shorten, trimSchema } from '../../catalog/cards/trim-schema.ts';
import type { ListedTool } from '../../catalog/contract.ts';
import { isObject, type JsonObject, member, memberText } from '../../core/json.ts';
import type { OwnCall, OwnTool } from '../own-tool.ts';
import { discoveryOf, isSearching, modeOf } from './discovery-mode.ts';
import { refuseUnknown } from './nearest-tools.ts';
import { prepareTools } from './prepare-tools.ts';
import { toText } from './to-text.ts';

const MAX_DESCRIPTION = 600;

export const DESCRIBE_TOOL: OwnTool = {
  name: 'describe_tool',
  definition: {
    name: 'describe_tool',
    description: 'The arguments of a tool. full: everything its server says.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, full: { type: 'boolean' } },
      required: ['name'],
    },
    annotations: { readOnlyHint: true },
  },
  isOffered: (asking) => modeOf(asking) !== 'off',
  isListed: isSearching,
  readsList: true,
  async answer({ ports, inbound, body }: OwnCall): Promise<JsonObject> {
    const name = String(body['name']);
    await prepareTools(inbound.view);
    const found = inbound.view.listedTools().find(({ tool }) => tool.publicName === name);
    if (found === undefined) return refuseUnknown(ports, inbound, name);
    return toText(describe(found, body['full'] === true ? undefined : discoveryOf(inbound.snapshot).resultTokens));
  },
};

/** @param tokens `undefined`: as its server wrote it */
export function describe({ tool, description }: ListedTool, tokens: number | undefined): string {
  const { publicName, definition } = tool;
  const text = description ?? memberText(definition, 'description');
  if (tokens === undefined)
    return JSON.stringify({ ...definition, name: publicName, ...(text === '' ? {} : { description: text }) });
  const schema = member(definition, 'inputSchema');
  const { schema: inputSchema, isWhole } = trimSchema(isObject(schema) ? schema : {}, { tokens });
  const said = shorten(text, MAX_DESCRIPTION);
  const whole = JSON.stringify({ name: publicName, ...(said === '' ? {} : { description: said }), inputSchema });
  return isWhole ? whole : `${whole}\nShortened; "full": true gives all.`;
}
