import { FaultError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { isContained, type Outcome, runDrill } from '../drill/drill.ts';
import { SCENARIOS } from '../drill/scenarios.ts';
import { type Command, type Input, isSet, type Output, textOption } from './command.ts';
import { toPlainText } from './plain-text.ts';
import { write } from './terminal.ts';

export const drill: Command = {
  name: 'drill',
  summary: 'act out every threat with real servers: on plain MCP, where the harm happens, and through Sallyport',
  options: [{ flags: '--only <name>', meaning: 'only this threat' }],
  example: 'sallyport drill --only shadowing',
  run: act,
};

async function act({ options, signal, terminal }: Input): Promise<Output> {
  const only = textOption(options, 'only');
  const chosen = SCENARIOS.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) {
    const names = SCENARIOS.map(({ name }) => name).join(', ');
    throw new FaultError('usage', `There is no threat "${only ?? ''}". There are: ${names}.`);
  }
  const outcomes = await runDrill(chosen, {
    signal,
    onOutcome(outcome) {
      const trouble = outcome.trouble.map((one) => `  ${one}\n`).join('');
      void write(terminal.stderr, toPlainText(`${isContained(outcome) ? 'ok  ' : 'BAD '} ${outcome.name}\n${trouble}`));
    },
  });
  const failed = outcomes.filter((outcome) => !isContained(outcome));
  return {
    value: { scenarios: outcomes.map(toValue) },
    ...(isSet(options, 'json') ? {} : { text: `${outcomes.map(toLine).join('\n')}\n` }),
    remarks: [`${outcomes.length - failed.length} of ${outcomes.length} threats are contained.`],
    exit: failed.length === 0 ? 0 : 1,
  };
}

function toValue({ name, threat, plain, guarded, honest }: Outcome): Json {
  return { name, threat, plain: { ...plain }, guarded: { ...guarded }, honest: { ...honest } };
}

function toLine({ name, plain, guarded, honest, seen }: Outcome): string {
  const { guard, rule } = guarded;
  return [
    `${name}: plain MCP ${plain.harmed ? `HARMED (${seen})` : 'unharmed'}`,
    `Sallyport ${guarded.harmed ? 'HARMED' : 'unharmed'}${guard === null ? '' : ` (${guard}: ${rule ?? ''})`}`,
    `honest twin ${honest.passed ? 'passed' : 'STOPPED'}`,
  ].join('; ');
}
