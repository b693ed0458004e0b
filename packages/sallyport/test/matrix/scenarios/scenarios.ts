import { listChanges, resourceUpdates } from './changes.ts';
import { elicitation, roots, sampling, sideEffects, urlElicitation } from './questions.ts';
import { completion, prompts, resources } from './resources.ts';
import { cancellation, logging, progress } from './running.ts';
import type { Scenario } from './scenario.ts';
import { content, errors, tools, unknownFields } from './tools.ts';

/** All feature groups, in the order of the page. */
export const scenarios: readonly Scenario[] = [
  tools,
  content,
  errors,
  unknownFields,
  resources,
  prompts,
  completion,
  progress,
  cancellation,
  logging,
  elicitation,
  urlElicitation,
  sampling,
  roots,
  listChanges,
  resourceUpdates,
  sideEffects,
];
