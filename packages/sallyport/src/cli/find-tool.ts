import { nearestName } from '../config/nearest-name.ts';
import { FaultError } from '../core/errors.ts';
import { type JsonObject, member } from '../core/json.ts';
import { type Listed, listItems, TOOLS } from './list-items.ts';
import type { Session } from './open-session.ts';

export type FoundTool = { readonly kind: 'tool'; readonly tool: JsonObject } | Extract<Listed, { kind: 'refused' }>;

/**
 * The definition of one tool, or the server's refusal to list any.
 * @throws FaultError `not_found` with the nearest name.
 */
export async function findTool(session: Session, name: string): Promise<FoundTool> {
  const listed = await listItems(session, TOOLS);
  if (listed.kind === 'refused') return listed;
  const tool = listed.items.find((item) => member(item, 'name') === name);
  if (tool !== undefined) return { kind: 'tool', tool };
  const names = listed.items.map((item) => member(item, 'name')).filter((found) => typeof found === 'string');
  const near = nearestName(name, names);
  const fix = near === undefined ? '"sallyport tool list" has the names.' : `Did you mean "${near}"?`;
  throw new FaultError('not_found', `${session.server} has no tool "${name}". ${fix}`);
}
