import { FaultError } from '../../core/errors.ts';
import type { Scan } from '../../core/finding.ts';
import type { JsonObject } from '../../core/json.ts';
import { createShadowReader, SHADOW_VERSION } from '../shadow/report-shadow.ts';
import {
  type Inspected,
  type InspectedKind,
  type Inspection,
  type Peer,
  type Report,
  UNREADABLE,
  whyBlocked,
} from './inspection.ts';

/** What a definition is read beside. */
export interface ReadContext {
  readonly kind: InspectedKind;
  readonly server: string;
  readonly tools: readonly Peer[];
}

/** The rules that read one definition; the composition root hands them in. */
export interface ReadingRules {
  /** Another one as soon as a rule is. */
  readonly version: string;
  scan(definition: JsonObject, context: ReadContext): Scan;
  /** What was added to a definition. */
  scanChange(before: JsonObject, after: JsonObject, context: ReadContext): Scan;
  /** From these scores on the whole is suspicious. */
  readonly reviewFrom: { readonly definition: number; readonly change: number };
}

/** Reads definitions with the rules given, and compares tools with those of others. */
export function createInspection(rules: ReadingRules): Inspection {
  const compare = createShadowReader();
  const read = (item: Inspected, peers: readonly Peer[]): Report => {
    const { kind, server, definition, before } = item;
    const context = { kind, server, tools: peers };
    const scanned =
      before === undefined ? rules.scan(definition, context) : rules.scanChange(before, definition, context);
    const from = before === undefined ? rules.reviewFrom.definition : rules.reviewFrom.change;
    const shadow = compare(item, peers);
    const findings = [...scanned.findings, ...shadow.findings];
    const reasons = [whyBlocked(scanned.findings), shadow.hold].filter((reason) => reason !== undefined);
    return {
      findings,
      score: scanned.score,
      risky: findings.length > 0 || scanned.score >= from,
      ...(reasons.length === 0 ? {} : { hold: reasons.join(', and ') }),
      ...(shadow.related.length === 0 ? {} : { related: shadow.related }),
    };
  };
  return {
    version: `${rules.version}.${SHADOW_VERSION}`,
    inspect(item, peers) {
      try {
        return read(item, peers);
      } catch (error) {
        // Too much for the rules, which is for a person to judge; anything else is a fault of ours.
        if (error instanceof FaultError) return UNREADABLE;
        throw error;
      }
    },
  };
}
