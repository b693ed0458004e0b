import { findTools } from '../../catalog/search/find-tools.ts';
import { nearestName } from '../../config/nearest-name.ts';
import type { Inbound } from '../inbound.ts';
import type { CallPorts } from '../ports.ts';
import { openIndex } from './open-index.ts';
import { toMistake } from './to-text.ts';

const MOST = 3;
/** Names that are compared letter by letter. */
const MAX_COMPARED = 2_000;
const MAX_NAME = 128;

/** What a model is told of a tool that is not there, or not for this caller: the same in either case. */
export async function refuseUnknown(ports: Pick<CallPorts, 'toolIndexes'>, inbound: Inbound, name: string) {
  const near = await findNearest(ports, inbound, name.slice(0, MAX_NAME));
  const hint = near.length === 0 ? '' : ` Nearest: ${near.join(', ')}.`;
  return toMistake(`There is no tool ${JSON.stringify(name.slice(0, MAX_NAME))}.${hint} find_tools finds others.`);
}

async function findNearest(
  ports: Pick<CallPorts, 'toolIndexes'>,
  inbound: Inbound,
  name: string,
): Promise<readonly string[]> {
  const { index, listed } = await openIndex(ports, inbound);
  const all = inbound.view.listedTools().slice(0, MAX_COMPARED);
  const slip = nearestName(
    name,
    all.map(({ tool }) => tool.publicName),
  );
  const alike = findTools(index, [name], { most: MOST, isAllowed: (face) => listed(face) !== undefined });
  const found = alike.flatMap(({ tool }) => listed(tool)?.tool.publicName ?? []);
  return [...new Set([...(slip === undefined ? [] : [slip]), ...found])].slice(0, MOST);
}
