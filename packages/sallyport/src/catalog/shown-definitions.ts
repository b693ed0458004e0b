import type { JsonObject } from '../core/json.ts';
import type { ShownDefinition, ShownDefinitions } from '../core/shown-definitions.ts';
import type { ListKind } from './contract.ts';
import { type Item, writeItem } from './items.ts';
import type { Entry, ViewPart } from './view-part.ts';

const KINDS: readonly (readonly [ListKind, string])[] = [
  ['tools', 'the description of'],
  ['prompts', 'the description of the prompt'],
  ['resources', 'the description of the resource'],
  ['resourceTemplates', 'the description of the resource'],
];

/** What a client is shown of the servers in a view: everything that is approved and listed, and their instructions. */
export function toShownDefinitions(
  parts: readonly ViewPart[],
  shown: (kind: ListKind) => readonly Entry[],
): ShownDefinitions {
  const all: ShownDefinition[] = KINDS.flatMap(([kind, what]) =>
    shown(kind).map(({ part, item, description }) => ({
      upstream: part.server.name,
      what: `${what} ${part.server.name}.${item.id.slice(0, 128)}`,
      // The operator's description stands in place of the server's.
      definition: description === undefined ? toDefinition(item) : { ...toDefinition(item), description: '' },
      hasFindings: part.pins?.hasFindings(kind, item) === true,
    })),
  );
  for (const { server, identity, pins } of parts) {
    const { instructions } = identity;
    if (instructions === undefined || instructions === '') continue;
    const hasFindings = pins?.hasFindingsInInstructions(instructions) === true;
    all.push({
      upstream: server.name,
      what: `the instructions of ${server.name}`,
      definition: instructions,
      hasFindings,
    });
  }
  return Object.freeze({ all, suspicious: all.find(({ hasFindings }) => hasFindings) });
}

/** Only tools are kept parsed. */
function toDefinition(item: Item): JsonObject {
  return item.definition ?? (JSON.parse(writeItem(item)) as JsonObject); // read as an object before
}
