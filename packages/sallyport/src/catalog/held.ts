import type { ListKind } from './contract.ts';
import { matchesTemplate } from './uris.ts';
import type { Entry, ViewPart } from './view-part.ts';

/** Why an entry of a list may not be used: its definition is not the approved one. */
export function whyEntryHeld({ part, item }: Entry, kind: ListKind): string | undefined {
  return part.pins?.whyHeld(kind, item);
}

/**
 * Why nobody may read a URI of a server: the resource it lists under it is held, or only templates that are held explain
 * it. What no list names, e.g. a link in a result, is not a definition and not held.
 */
export function whyUriHeld(part: ViewPart, uri: string): string | undefined {
  const { pins, lists } = part;
  if (pins === undefined) return undefined;
  const exact = lists.get('resources')?.items.find(({ id }) => id === uri);
  if (exact !== undefined) return pins.whyHeld('resources', exact);
  let held: string | undefined;
  for (const template of lists.get('resourceTemplates')?.items ?? []) {
    if (!matchesTemplate(template.id, uri)) continue;
    const why = pins.whyHeld('resourceTemplates', template);
    if (why === undefined) return undefined;
    held = why;
  }
  return held;
}
