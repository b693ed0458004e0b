import type { Scenario } from './scenario.ts';
import { capabilityInjection } from './scenarios/capability-injection.ts';
import { confusedDeputy } from './scenarios/confused-deputy.ts';
import { elicitationForSecrets } from './scenarios/elicitation-for-secrets.ts';
import {
  exfiltrationByArgument,
  exfiltrationByEncoding,
  exfiltrationByImage,
  exfiltrationByUrl,
  exfiltrationInPieces,
} from './scenarios/exfiltration.ts';
import { injectedResult } from './scenarios/injected-result.ts';
import { nameSquat } from './scenarios/name-squat.ts';
import { outOfScopeParameters } from './scenarios/out-of-scope-parameters.ts';
import { overBroadToken } from './scenarios/over-broad-token.ts';
import { poisonedDescription } from './scenarios/poisoned-description.ts';
import { poisonedSchema } from './scenarios/poisoned-schema.ts';
import { replayedApproval } from './scenarios/replayed-approval.ts';
import { resourceLink } from './scenarios/resource-link.ts';
import { rugPull } from './scenarios/rug-pull.ts';
import { samplingAbuse, samplingExfiltration } from './scenarios/sampling-abuse.ts';
import { shadowing } from './scenarios/shadowing.ts';

/** Every threat, in the order of docs/threats.md. A new one is a file and a line here. */
export const SCENARIOS: readonly Scenario[] = [
  capabilityInjection,
  shadowing,
  poisonedDescription,
  poisonedSchema,
  injectedResult,
  rugPull,
  nameSquat,
  exfiltrationByArgument,
  exfiltrationByUrl,
  exfiltrationByImage,
  exfiltrationByEncoding,
  exfiltrationInPieces,
  elicitationForSecrets,
  samplingAbuse,
  samplingExfiltration,
  resourceLink,
  confusedDeputy,
  overBroadToken,
  outOfScopeParameters,
  replayedApproval,
];
