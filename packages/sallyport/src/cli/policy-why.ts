import { withApi } from './api.ts';
import type { Command } from './command.ts';

export const policyWhy: Command = {
  name: 'policy why',
  summary: 'tell why a recorded call was let through or refused, and by which policies',
  words: [['<call>', 'the callId of the log']],
  example: 'sallyport policy why 9vBqkJ3mTzo-1f --json',
  run: (input) =>
    withApi(input, async (api) => {
      const why = await api.call('explainDecision', { path: { callId: input.words[0] ?? '' } });
      const { decision, release, candidate } = why;
      const lines = [
        `${why.time}  ${why.method} ${why.server ?? '?'}/${why.target ?? '?'} by ${why.principal}: ${why.outcome}`,
        `  ${why.explanation}`,
        ...(decision === undefined ? [] : [describe(why.enforced ? 'Decided' : 'Would have been decided', decision)]),
        ...(release === undefined ? [] : [describe('Result', release)]),
        ...(candidate === undefined ? [] : [describe('Candidates', candidate)]),
        ...why.policies.map(({ id, effect, file, line, isCurrent }) =>
          [`  ${effect} ${id} (${file}, line ${line})`, ...(isCurrent ? [] : ['changed since'])].join(', '),
        ),
      ];
      return { value: { ...why }, text: lines.join('\n') };
    }),
};

interface Decision {
  readonly effect: string;
  readonly policies: readonly string[];
  readonly version: string;
}

function describe(what: string, { effect, policies, version }: Decision): string {
  return `  ${what}: ${effect} by ${policies.length > 0 ? policies.join(', ') : 'no policy'}, version ${version}.`;
}
