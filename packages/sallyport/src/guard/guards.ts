import type { SinkSettings } from '../config/access-settings.ts';
import type { FrozenSnapshot } from '../core/envelope.ts';
import { asks } from './approve/asks.ts';
import { elicitation, sampling } from './approve/server-requests.ts';
import { type ArgumentSafetyPorts, argumentSafety } from './argument-safety.ts';
import { type ArgumentSchemaPorts, argumentSchema } from './argument-schema.ts';
import { type BindingPorts, bindings } from './bindings.ts';
import type { Guard } from './guard.ts';
import { pagePin, pin, type WhyHeld, type WhyPageHeld } from './pin.ts';
import { type HandlePorts, handles } from './plan/handles.ts';
import { type PlanPorts, plan } from './plan/plan-guard.ts';
import { type PolicyPorts, policy } from './policy.ts';
import { type RateLimitPorts, rateLimit } from './rate-limit.ts';
import { type ReachPorts, reach } from './reach.ts';
import { type ResourcePorts, resourceNames, resources } from './resources/resource-guards.ts';
import { resultSchema } from './result-schema.ts';
import { type ScanPorts, scanResult } from './scan-result.ts';
import { type OwnKeyPorts, ownKeys } from './secrets/own-keys.ts';
import { type SecretPorts, secrets, secretsInResult } from './secrets/secrets.ts';
import { sinkFloor } from './sinks/sink-floor.ts';
import { type SizeLimits, sizeAndShape } from './size-and-shape.ts';
import { type TaintPorts, taint, taintLabels } from './taint/taint.ts';
import { type VisibilityPorts, visibility } from './visibility.ts';

/** What the guards ask of the rest of the program. Settings are those of the snapshot an envelope carries. */
export interface GuardPorts extends ArgumentSchemaPorts, VisibilityPorts {
  readonly limits: (snapshot: FrozenSnapshot) => SizeLimits;
  readonly rateLimit: RateLimitPorts;
  readonly whyHeld: WhyHeld;
  readonly whyPageHeld: WhyPageHeld;
  readonly plan: PlanPorts & HandlePorts;
  readonly argumentSafety: ArgumentSafetyPorts;
  readonly bindings: BindingPorts;
  readonly ownKeys: OwnKeyPorts;
  readonly secrets: SecretPorts;
  readonly taint: TaintPorts;
  readonly policy: PolicyPorts;
  readonly reach: ReachPorts;
  readonly sinks: (snapshot: FrozenSnapshot) => SinkSettings | undefined;
  /** Tools whose every call asks a person. */
  readonly asks: (snapshot: FrozenSnapshot) => readonly string[];
  readonly scan: ScanPorts;
  readonly resources: ResourcePorts;
  /** Servers whose sampling requests a person looks at. */
  readonly sampling: (snapshot: FrozenSnapshot) => readonly string[];
}

/** Every guard, in the one order that holds for all kinds. Cheap checks first; a new guard is one line here. */
export function createGuards(ports: GuardPorts): readonly Guard[] {
  return [
    // On the way to a server.
    sizeAndShape(ports.limits),
    rateLimit(ports.rateLimit),
    visibility(ports),
    pin(ports.whyHeld),
    plan(ports.plan),
    argumentSchema(ports),
    argumentSafety(ports.argumentSafety),
    bindings(ports.bindings),
    ownKeys(ports.ownKeys),
    ...secrets(ports.secrets),
    taint(ports.taint),
    policy(ports.policy),
    reach(ports.reach),
    sinkFloor(ports.sinks),
    asks(ports.asks),
    resources(ports.resources),
    resourceNames(ports.resources),
    // On the way to a client; `policy` judges both.
    resultSchema(ports.checker),
    pagePin(ports.whyPageHeld),
    // What the client never sees needs no reading; it is read when a handle is opened.
    handles(ports.plan),
    elicitation(),
    scanResult(ports.scan),
    secretsInResult(ports.secrets),
    taintLabels(ports.taint),
    sampling(ports.sampling),
  ];
}
