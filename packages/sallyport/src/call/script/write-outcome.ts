import { CALL_AGAIN } from '../approval-desk.ts';
import type { ScriptOutcome } from './script-run.ts';

interface About {
  /** Of a script that is paused. */
  readonly resumeId?: string;
  /** Servers whose tools are not known now. */
  readonly unavailable: readonly string[];
}

/** What the model reads of a script. */
export function writeOutcome(outcome: ScriptOutcome, { resumeId, unavailable }: About): string {
  const { calls, dropped, console } = outcome;
  const left = dropped === 0 ? [] : [`${dropped} calls were not made, since the script did not wait for them.`];
  const written = console === '' || outcome.kind === 'paused' ? [] : [`Console:\n${console}`];
  switch (outcome.kind) {
    case 'done':
      return [toResult(outcome), ...left, ...written].join('\n\n');
    case 'failed': {
      const ran =
        calls === 0
          ? 'It made no calls.'
          : `It made ${calls} ${calls === 1 ? 'call' : 'calls'} before, and what they did is done: do not simply run it again.`;
      const gone = unavailable.length === 0 ? [] : [`Not reachable now: ${unavailable.join(', ')}.`];
      return [`The script failed. ${outcome.reason}`, ...gone, ran, ...left, ...written].join('\n\n');
    }
    case 'paused':
      return [
        'The script is paused until a person has answered.',
        ...new Set(outcome.reasons.map((reason) => reason.replace(CALL_AGAIN, '').trim())),
        `Tell the user, then call run_script with {"resume": "${resumeId}"}: the script goes on where it waits, and no call is made twice.`,
      ].join('\n\n');
  }
}

function toResult({ result, length, calls }: Extract<ScriptOutcome, { kind: 'done' }>): string {
  if (result === undefined)
    return `The script made ${calls} calls and returned nothing. A script gives its result with "return".`;
  if (result.length === length) return result;
  return `${result}\n… (${result.length} of ${length} characters. Return less, for example a summary.)`;
}
