import { type AnswerDoor, type AnswerPorts, createAnswerDoor } from '../call/vet-answers.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Call } from '../core/call.ts';
import type { Guard } from '../guard/guard.ts';
import { createAnswerGuards } from '../guard/guards.ts';
import type { SecretPorts } from '../guard/secrets/secrets.ts';
import type { TaintPorts } from '../guard/taint/taint.ts';

/** How what clients answer to questions of servers is looked at: where neither secrets nor flows are ruled, it is not. */
export function openAnswers(secrets: SecretPorts, taint: TaintPorts) {
  const guards = createAnswerGuards({ secrets, taint });
  const isOn = (snapshot: Snapshot) =>
    secrets.settings(snapshot) !== undefined || taint.settings(snapshot) !== undefined;
  return {
    /** `undefined`: it is no answer. */
    guardsOf: ({ isAnswer }: Call): readonly Guard[] | undefined => (isAnswer === true ? guards : undefined),
    createDoor: (ports: Omit<AnswerPorts, 'isOn' | 'guards'>): AnswerDoor =>
      createAnswerDoor({ ...ports, isOn, guards }),
  };
}
