import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import { type Command, type Input, textOption } from './command.ts';
import { codeOf } from './error-code.ts';
import { parseObject, readStdin } from './read-stdin.ts';

export const planRegister: Command = {
  name: 'plan register',
  summary: 'fix the plan of a run before it reads anything untrusted; no client changes it',
  words: [['<file>', 'the plan, JSON; - reads it from stdin']],
  options: [
    { flags: '--run <id>', meaning: 'what the client sends as _meta["dev.sallyport/run"]' },
    { flags: '--principal <id>', meaning: 'whose run it is, as sallyport audit search shows it' },
    { flags: '--agent <name>', meaning: 'the program of that caller, where its key or token names one' },
    { flags: '--endpoint <endpoint>', meaning: 'all (default), server/NAME or bundle/NAME' },
  ],
  example: 'sallyport plan register plan.json --run task-7 --principal local',
  async run(input) {
    const { options } = input;
    const run = textOption(options, 'run');
    const principal = textOption(options, 'principal');
    if (run === undefined || principal === undefined)
      throw new FaultError('usage', 'Say whose plan it is with --run and --principal.');
    const plan = await readPlanFile(input);
    const [agent, endpoint] = [textOption(options, 'agent'), textOption(options, 'endpoint')];
    const fixed = await withApi(input, (api) =>
      api.call('registerPlan', { body: { run, principal, agent, endpoint, plan } }),
    );
    return {
      value: toJson(fixed),
      text: `Fixed ${fixed.id} for ${run}: ${fixed.digest}`,
      remarks: [
        ...fixed.warnings,
        'A client that sends this digest as _meta["dev.sallyport/plan"] is refused when the plan is not in force.',
      ],
    };
  },
};

async function readPlanFile({ words, terminal, signal }: Input) {
  const [file = '-'] = words;
  if (file === '-') return parseObject(await readStdin(terminal, signal), 'The plan');
  let text: string;
  try {
    text = readFileSync(resolve(terminal.cwd, file), 'utf8');
  } catch (cause) {
    throw new FaultError(
      'usage',
      `The plan file ${file.slice(0, 256)} cannot be read (${codeOf(cause)}). Check the path and your rights.`,
      { cause },
    );
  }
  return parseObject(text, 'The plan');
}
