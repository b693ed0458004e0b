import type { SinkSettings } from '../config/access-settings.ts';
import { asks } from './approve/asks.ts';
import { type ArgumentSafetyPorts, argumentSafety } from './argument-safety.ts';
import { type ArgumentSchemaPorts, argumentSchema } from './argument-schema.ts';
import { type BindingPorts, bindings } from './bindings.ts';
import type { Guard } from './guard.ts';
import { pin, type WhyHeld } from './pin.ts';
import { type HandlePorts, handles } from './plan/handles.ts';
import { type PlanPorts, plan } from './plan/plan-guard.ts';
import { resultSchema } from './result-schema.ts';
import { type ScanPorts, scanResult } from './scan-result.ts';
import type { SchemaChecker } from './schema/schema-checker.ts';
import { type SecretPorts, secrets, secretsInResult } from './secrets/secrets.ts';
import { sinkFloor } from './sinks/sink-floor.ts';
import { type SizeLimits, sizeAndShape } from './size-and-shape.ts';
import type { Of } from './snapshot-of.ts';
import { answersTaint } from './taint/answers.ts';
import { type TaintPorts, taint, taintLabels } from './taint/taint.ts';
import { type VisibilityPorts, visibility } from './visibility.ts';

export interface GuardPorts {
  readonly checker: Pick<SchemaChecker, 'validate'>;
  /** Default: they are sent, and the record says so. */
  readonly unvalidated?: ArgumentSchemaPorts['unvalidated'] | undefined;
  /** Default 4 MiB and 64 levels. */
  readonly limits?: Of<SizeLimits> | undefined;
  /** Default: nobody counts. */
  readonly rateLimit?: Guard | undefined;
  /** Default: every definition may be used. */
  readonly whyHeld?: WhyHeld | undefined;
  /** Default: there are no plans and no handles. */
  readonly plan?: (PlanPorts & HandlePorts) | undefined;
  /** Default: no danger is looked for. */
  readonly argumentSafety?: ArgumentSafetyPorts | undefined;
  /** Default: secrets are nobody's business. */
  readonly secrets?: SecretPorts | undefined;
  /** Default: no argument is bound to who calls. */
  readonly bindings?: BindingPorts | undefined;
  /** Default: no floor. */
  readonly sinks?: Of<SinkSettings | undefined> | undefined;
  /** Default: nothing is marked. */
  readonly taint?: TaintPorts | undefined;
  /** Default: everything is permitted. */
  readonly policy?: Guard | undefined;
  /** Tools whose every call asks a person. Default: none. */
  readonly asks?: Of<readonly string[]> | undefined;
  /** Default: results are not read. */
  readonly scan?: ScanPorts | undefined;
  /** Default: what was resolved is visible. */
  readonly isVisible?: VisibilityPorts['isVisible'] | undefined;
}

const LIMITS: SizeLimits = { bodyBytes: 4 * 1024 * 1024, depth: 64 };

/** Every guard, in the order of both doors. Cheap checks first; whoever adds one adds a line here. */
export function createGuards(ports: GuardPorts): readonly Guard[] {
  const { checker, limits = () => LIMITS, isVisible = () => true, unvalidated = () => 'allow' } = ports;
  return [
    sizeAndShape(limits),
    ...(ports.rateLimit === undefined ? [] : [ports.rateLimit]),
    visibility({ isVisible }),
    ...(ports.whyHeld === undefined ? [] : [pin(ports.whyHeld)]),
    ...(ports.plan === undefined ? [] : [plan(ports.plan)]),
    argumentSchema({ checker, unvalidated }),
    ...(ports.argumentSafety === undefined ? [] : [argumentSafety(ports.argumentSafety)]),
    ...(ports.bindings === undefined ? [] : [bindings(ports.bindings)]),
    ...(ports.secrets === undefined ? [] : secrets(ports.secrets)),
    ...(ports.taint === undefined ? [] : [taint(ports.taint)]),
    ...(ports.policy === undefined ? [] : [ports.policy]),
    ...(ports.sinks === undefined ? [] : [sinkFloor(ports.sinks)]),
    ...(ports.asks === undefined ? [] : [asks(ports.asks)]),
    resultSchema(checker),
    // What the client never sees needs no reading; it is read when a handle is opened.
    ...(ports.plan === undefined ? [] : [handles(ports.plan)]),
    ...(ports.scan === undefined ? [] : [scanResult(ports.scan)]),
    ...(ports.secrets === undefined ? [] : [secretsInResult(ports.secrets)]),
    ...(ports.taint === undefined ? [] : [taintLabels(ports.taint)]),
  ];
}

/** What the client answers to questions of servers: the guards of arguments that say what data may go where. */
export function createAnswerGuards(ports: Pick<GuardPorts, 'secrets' | 'taint'>): readonly Guard[] {
  return [
    ...(ports.secrets === undefined ? [] : secrets(ports.secrets)),
    ...(ports.taint === undefined ? [] : [answersTaint(ports.taint)]),
  ];
}
