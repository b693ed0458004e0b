import { FaultError } from '../core/errors.ts';
import { type Command, type Input, isSet, type Output } from './command.ts';
import { toApprovalStep } from './doctor-approval.ts';
import { toConfigurationStep } from './doctor-configuration.ts';
import { toHttpSteps } from './doctor-http.ts';
import { toLocalSteps } from './doctor-local.ts';
import { createCensor, placeOf, toPatient } from './doctor-patient.ts';
import { createOrderedPrinter, exitOf, type TargetReport, toLines, toSummary, toValue } from './doctor-report.ts';
import { openWatchedSession } from './doctor-session.ts';
import { toStdioSteps } from './doctor-stdio.ts';
import { runSteps, type Step, type StepReport } from './doctor-steps.ts';
import { toPlainText } from './plain-text.ts';
import { type Resolved, resolveEach, splitTarget, TARGET_FLAGS } from './resolve-target.ts';
import { write } from './terminal.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'explain step by step why a connection fails, and how to mend it',
  words: [
    [
      '[target]',
      'a URL, a file, a saved server or a command after --; left out: this machine and all servers of the configuration',
    ],
  ],
  options: TARGET_FLAGS,
  dashes: 'target',
  example: 'sallyport doctor https://example.com/mcp',
  run: examine,
};

/** One thing to examine; `say` is called with text for people as it goes. */
interface Examination {
  readonly title: string;
  run(report: (report: StepReport) => void): Promise<TargetReport>;
}

/** Each server may start a process. */
const AT_ONCE = 4;

async function examine(input: Input): Promise<Output> {
  const examinations = listExaminations(input);
  const asJson = isSet(input.options, 'json');
  const { stdout } = input.terminal;
  // Step by step as they end: who waits for a slow server sees what for.
  const printer = createOrderedPrinter(examinations.length, (text) => {
    if (!asJson) void write(stdout, toPlainText(text));
  });
  const targets: TargetReport[] = [];
  const queue = [...examinations.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, { title, run }] = next;
      printer.say(index, `${index === 0 ? '' : '\n'}${title}\n`);
      targets[index] = await run((report) => printer.say(index, toLines(report)));
      printer.finish(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, examinations.length) }, work));
  return {
    value: toValue(targets),
    text: `${examinations.length === 0 ? '' : '\n'}${toSummary(targets)}`,
    exit: exitOf(targets),
  };
}

function listExaminations(input: Input): readonly Examination[] {
  const { target } = splitTarget(input);
  if (target !== undefined || input.dashed !== undefined) {
    const found = resolveEach(target, input);
    if (found.length === 0) throw new FaultError('usage', 'The file has no servers. "sallyport server add" adds one.');
    return found.map((resolved) => examineServer(resolved, input));
  }
  return [examineMachine(input), ...listConfigured(input).map((resolved) => examineServer(resolved, input))];
}

/** A file that cannot be read at all is told among the local steps. */
function listConfigured(input: Input): readonly Resolved[] {
  try {
    return resolveEach(undefined, input);
  } catch (error) {
    if (error instanceof FaultError && error.code === 'config') return [];
    throw error;
  }
}

function examineMachine(input: Input): Examination {
  return {
    title: 'This machine',
    run: async (report) => ({
      name: 'local',
      kind: 'local',
      steps: await runSteps(toLocalSteps(input), { signal: input.signal, independent: true, report }),
    }),
  };
}

function examineServer(resolved: Resolved, input: Input): Examination {
  const { name, written } = resolved;
  const configuration = toConfigurationStep(resolved, input.terminal.env);
  if ('fault' in resolved) {
    const kind = written !== undefined && 'command' in written.entry ? 'stdio' : 'http';
    return {
      title: name,
      run: async (report) => ({
        name,
        kind,
        steps: await runSteps([configuration, ...toUnreachedSteps(kind)], { signal: input.signal, report }),
      }),
    };
  }
  const patient = toPatient(resolved.settings, written, input);
  const kind = patient.settings.transport.type === 'stdio' ? 'stdio' : 'http';
  const censor = createCensor(patient.settings);
  return {
    title: `${name}  ${placeOf(patient.settings)}`,
    async run(report) {
      const watched = openWatchedSession(patient.settings, input);
      try {
        const own = kind === 'stdio' ? toStdioSteps(patient, watched) : toHttpSteps(patient, watched);
        const steps = written === undefined ? own : [configuration, ...own, toApprovalStep(name, input)];
        const reports = await runSteps(steps, { signal: input.signal, report: (each) => report(censor(each)) });
        return { name, kind, steps: reports.map(censor) };
      } finally {
        await watched.close();
      }
    },
  };
}

const STEP_NAMES: Readonly<Record<'http' | 'stdio', readonly string[]>> = {
  http: ['dns', 'tcp', 'tls', 'http', 'authentication', 'discovery', 'era', 'capabilities', 'list', 'approval'],
  stdio: ['cwd', 'command', 'spawn', 'answer', 'era', 'capabilities', 'list', 'stdout', 'approval'],
};

/** What would follow if the entry were valid. */
function toUnreachedSteps(kind: 'http' | 'stdio'): readonly Step[] {
  return STEP_NAMES[kind].map((name) => ({
    name,
    exit: 1,
    deadlineMs: 1,
    run: () => ({ outcome: 'skipped', detail: '' }),
  }));
}
