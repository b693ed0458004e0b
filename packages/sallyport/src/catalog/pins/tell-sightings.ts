import type { Log } from '../../core/log.ts';
import { type Sighting, toItemName } from './pin.ts';

/** Names in one line of the log. */
const MAX_NAMED = 50;

/**
 * First sights in one line, what was found in them in another, every item that is held in one of its own.
 * @param why it is held; `undefined`: it is not
 */
export function tellSightings(
  log: Log,
  sightings: readonly Sighting[],
  why: (sighting: Sighting) => string | undefined,
): void {
  const told = sightings.filter((one) => one.kind !== 'instructions' || one.definition.text !== '""');
  const [first] = told;
  if (first === undefined) return;
  const upstream = first.server;
  const approved = told.filter(({ approve }) => approve);
  if (approved.length > 0) {
    const items = approved.slice(0, MAX_NAMED).map(nameOf);
    log.info(
      { upstream, items, count: approved.length },
      'seen for the first time and approved: see sallyport pin list',
    );
  }
  const held = told.filter(({ approve }) => !approve).map((one) => ({ one, reason: why(one) }));
  const open = [...approved, ...held.flatMap(({ one, reason }) => (reason === undefined ? [one] : []))];
  const found = open.filter((one) => rulesOf(one).length > 0);
  if (found.length > 0) {
    const items = found.slice(0, MAX_NAMED).map((one) => `${nameOf(one)}: ${rulesOf(one).join(', ')}`);
    log.warn(
      { upstream, items, count: found.length },
      'something was found in definitions that may be used: see sallyport scan',
    );
  }
  for (const { one, reason } of held.slice(0, MAX_NAMED)) {
    if (reason === undefined) continue;
    const { renamedFrom } = one;
    log.warn({ upstream, item: nameOf(one), ...(renamedFrom === undefined ? {} : { renamedFrom }) }, reason);
  }
}

function nameOf({ kind, name }: Sighting): string {
  return toItemName(kind, name);
}

/** Names of the rules that found something. */
function rulesOf({ found }: Sighting): readonly string[] {
  return [...new Set(found?.findings.map(({ id }) => id) ?? [])];
}
