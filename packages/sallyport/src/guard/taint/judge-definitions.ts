import type { Snapshot } from '../../config/settings.ts';
import type { Role, TaintFlow, TaintSettings } from '../../config/taint-section.ts';
import type { Envelope } from '../../core/envelope.ts';
import type { ShownDefinition } from '../../core/shown-definitions.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import { snapshotOf } from '../snapshot-of.ts';
import { findOrigins, valuesOf } from './definition-values.ts';
import { pointerOf, toShownValue } from './explain-flow.ts';
import type { Printer } from './fingerprints.ts';
import { concerns } from './judge-call.ts';
import { UNTRUSTED, VOUCHED } from './labels.ts';
import { borrowList, giveBack } from './print-list.ts';
import { type AskedLeaf, readCall } from './read-call.ts';
import { roleOf } from './roles.ts';
import type { SplitTails } from './split-tails.ts';
import type { Recall, TaintMemory } from './taint-ports.ts';
import { type Evidence, isInsideRoots, isTyped } from './vouch.ts';
import { walkLeaves } from './walk-leaves.ts';

/** Roles whose values a definition may plant. An amount is in many descriptions as a limit. */
const ROLES: ReadonlySet<Role> = new Set(['recipient', 'address', 'path', 'command']);

export interface DefinitionPorts {
  readonly printer: Printer;
  readonly memory: TaintMemory;
  /** Whether the operator's configuration holds the value. Left out: it is not known. */
  readonly isConfigured?: ((value: string, snapshot: Snapshot) => boolean) | undefined;
  /** Told of flows that a rule only notes. */
  readonly onNoted?: ((call: Envelope, reason: string) => void) | undefined;
}

/** What is known of the call before. */
export type Acting = Omit<Evidence, 'recall'>;

interface DefinitionDoor {
  readonly settings: TaintSettings;
  readonly ports: DefinitionPorts;
  readonly tails: SplitTails;
}

/**
 * Servers write their definitions, so an address, a path or a command in them is an untrusted value from the first call on: a call
 * with an effect that takes one needs an approval, unless the user, a trusted source or the operator gave the same value.
 */
export function judgeDefinitions(acting: Acting, door: DefinitionDoor): Verdict | Promise<Verdict> {
  const { call } = acting;
  const rule = ruleFor(acting, door.settings);
  if (rule === undefined || call.shown === undefined) return ALLOW;
  const prints = borrowList();
  const asked = readCall(call, {
    ...{ printer: door.ports.printer, prints, tails: door.tails, marks: UNTRUSTED, isKept: false },
    isJudged: ({ role }) => ROLES.has(role) && (rule.to.roles?.includes(role) ?? true),
  });
  const values = valuesOf(call.shown(), door.ports.printer);
  const planted = asked.leaves.flatMap((leaf) => {
    const origin = leaf.leaf.isName ? undefined : originOf(leaf, findOrigins(leaf, values, prints), call);
    if (origin === undefined || isInsideRoots(leaf, acting)) return [];
    if (door.ports.isConfigured?.(leaf.leaf.text.trim(), snapshotOf(call.snapshot)) === true) return [];
    return [{ leaf, origin }];
  });
  if (planted.length === 0) {
    giveBack(prints);
    return ALLOW;
  }
  const decide = (recall: Recall | undefined): Verdict => {
    const found = planted.find(({ leaf }) => !isGiven(leaf, recall, acting));
    return found === undefined ? ALLOW : toVerdict(rule, { ...found, acting }, door.ports);
  };
  const known = door.ports.memory.recall(call.run, prints);
  return known instanceof Promise ? known.then(decide) : decide(known);
}

/** The rule about untrusted values, as it is in force: the first that denies, else the first that asks. */
function ruleFor(acting: Acting, { flows }: TaintSettings): TaintFlow | undefined {
  const rules = flows.filter(
    (rule) => rule.by === 'value' && rule.from === 'untrusted' && rule.to.acts === true && concerns(rule, acting),
  );
  return rules.find(({ action }) => action === 'deny') ?? rules.find(({ action }) => action === 'ask') ?? rules.at(0);
}

/** Most calls have no such value, and nothing is made of them. */
export function hasDeciding({ body: given }: Envelope): boolean {
  return walkLeaves(given).leaves.some(({ key, text, isName }) => !isName && ROLES.has(roleOf(key, text)));
}

/**
 * Which definition planted it. What a server says of its own addresses, paths and commands is documentation of its own tools; whom
 * they write to is not, and nothing is that comes from a definition with findings.
 */
function originOf(
  { role }: AskedLeaf,
  origins: readonly ShownDefinition[],
  { upstream: own }: Envelope,
): ShownDefinition | undefined {
  const suspicious = origins.find(({ hasFindings }) => hasFindings);
  if (suspicious !== undefined || role === 'recipient') return suspicious ?? origins[0];
  return origins.some(({ upstream }) => upstream === own) ? undefined : origins[0];
}

/** That the client used it first says nothing: it had read the definition by then. */
function isGiven(leaf: AskedLeaf, recall: Recall | undefined, { user }: Acting): boolean {
  const known = recall ?? NOTHING_KNOWN;
  if (isTyped(leaf, { user, recall: known })) return true;
  return leaf.whole >= 0 && (known.marksOf(leaf.whole) & VOUCHED) !== 0;
}

const NOTHING_KNOWN: Recall = {
  ...{ marks: 0, origins: [], isFull: false },
  ...{ has: () => false, marksOf: () => 0, sourceOf: () => undefined },
};

interface Planted {
  readonly leaf: AskedLeaf;
  readonly origin: ShownDefinition;
  readonly acting: Acting;
}

function toVerdict(rule: TaintFlow, { leaf, origin, acting }: Planted, { onNoted }: DefinitionPorts): Verdict {
  const { call, sinks } = acting;
  const what = `The ${leaf.role} ${toShownValue(leaf.leaf.text)} comes from ${origin.what}, which is untrusted.`;
  const trace = `(argument ${JSON.stringify(pointerOf(leaf))}, rule "${rule.name}")`;
  if (rule.action === 'note') {
    onNoted?.(call, `${what} ${trace}`);
    return ALLOW;
  }
  if (rule.action === 'deny')
    return { kind: 'deny', code: 'denied', reason: `${what} Call again with a value that the user gave. ${trace}` };
  const reason = `${what} Ask the user to confirm it, then call again. ${trace}`;
  return { kind: 'ask', reason, classes: sinks, untrusted: true };
}
