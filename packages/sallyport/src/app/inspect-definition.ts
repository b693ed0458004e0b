import type { Inspected, Inspection, Peer, Report } from '../catalog/pins/inspection.ts';
import { type Finding, NOTHING_FOUND, type Scan } from '../core/finding.ts';
import type { DefinitionContext } from '../guard/scan/scan-context.ts';

/** Raised with every change of a rule: definitions are read again. */
const VERSION = '0';

/** Reads definitions with the rules of `guard/` and compares them with the tools of others as `catalog/` does. */
export function createInspection(): Inspection {
  return { version: VERSION, inspect };
}

function inspect({ server, kind, definition, before }: Inspected, peers: readonly Peer[]): Report {
  const context: DefinitionContext = { kind, server, tools: peers };
  const { findings, score } =
    before === undefined ? scanFirst(definition, context) : scanAdded(before, definition, context);
  const blocking = findings.filter(({ tier }) => tier === 'block');
  return {
    findings,
    score,
    risky: findings.length > 0,
    ...(blocking.length === 0 ? {} : { hold: toReason(blocking) }),
  };
}

const scanFirst = (_definition: unknown, _context: DefinitionContext): Scan => NOTHING_FOUND;
const scanAdded = (_before: unknown, _after: unknown, _context: DefinitionContext): Scan => NOTHING_FOUND;

/** Names of rules only: a model may read it. */
function toReason(findings: readonly Finding[]): string {
  return `reading it found: ${[...new Set(findings.map(({ id }) => id))].join(', ')}`;
}
