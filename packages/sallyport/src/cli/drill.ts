import { FaultError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { isContained, type Outcome, runDrill } from '../drill/drill.ts';
import { containedWith, isPromised } from '../drill/promises.ts';
import { SCENARIOS } from '../drill/scenarios.ts';
import { type DrillSettings, nameOf, setOf, toSections } from '../drill/settings.ts';
import { type Command, type Input, isSet, type Options, type Output, textOption } from './command.ts';
import { readSet } from './given-policies.ts';
import { toPlainText } from './plain-text.ts';
import { write } from './terminal.ts';

export const drill: Command = {
  name: 'drill',
  summary: 'act out every threat with real servers: on plain MCP, where the harm happens, and through Sallyport',
  options: [
    { flags: '--only <name>', meaning: 'only this threat' },
    { flags: '--set <set>', meaning: 'with exactly this set: laptop, team or locked. Default: as a new user has it' },
    {
      flags: '--guide-team',
      meaning: 'as docs/guide-team.md sets a team up: sources, bindings and approved definitions',
    },
  ],
  example: 'sallyport drill --only shadowing',
  run: act,
};

async function act({ options, signal, terminal }: Input): Promise<Output> {
  const only = textOption(options, 'only');
  const settings = readSettings(options);
  const chosen = SCENARIOS.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) {
    const names = SCENARIOS.map(({ name }) => name).join(', ');
    throw new FaultError('usage', `There is no threat "${only ?? ''}". There are: ${names}.`);
  }
  const outcomes = await runDrill(chosen, {
    settings,
    signal,
    onOutcome(outcome) {
      const trouble = outcome.trouble.map((one) => `  ${one}\n`).join('');
      void write(terminal.stderr, toPlainText(`${toStatus(outcome)} ${outcome.name}\n${trouble}`));
    },
  });
  const kept = outcomes.every((outcome) => isAsPromised(outcome, settings));
  return {
    value: toValue(outcomes, settings),
    ...(isSet(options, 'json') ? {} : { text: toText(outcomes, settings) }),
    remarks: [summarize(outcomes), ...(kept ? [] : ['docs/threats.md promises more for these settings.'])],
    exit: kept ? 0 : 1,
  };
}

function readSettings(options: Options): DrillSettings {
  const set = readSet(options);
  if (!isSet(options, 'guideTeam')) return set === undefined ? { kind: 'default' } : { kind: 'set', set };
  if (set === undefined) return { kind: 'guide' };
  throw new FaultError('usage', 'Give --set or --guide-team, not both.');
}

/** Whatever is not promised may still be contained; harm and stopped honest work count where something is. */
function isAsPromised(outcome: Outcome, settings: DrillSettings): boolean {
  const { contained, honest } = isPromised(outcome.name, nameOf(settings));
  return (!contained || isContained(outcome)) && (!honest || outcome.honest.passed);
}

function toValue(outcomes: readonly Outcome[], settings: DrillSettings): Json {
  return {
    set: setOf(settings),
    settings: toSections(settings),
    threats: outcomes.map((outcome): Json => {
      const { name, threat, plain, guarded, honest } = outcome;
      return {
        name,
        threat,
        contained: isContained(outcome),
        honest_works: honest.passed,
        contained_with: [...containedWith(name)],
        plain: { ...plain },
        guarded: { ...guarded },
      };
    }),
    contained: outcomes.filter(isContained).length,
    honest_works: outcomes.filter(({ honest }) => honest.passed).length,
    of: outcomes.length,
  };
}

function toStatus(outcome: Outcome): string {
  if (!outcome.honest.passed) return 'BAD ';
  return isContained(outcome) ? 'ok  ' : 'harm';
}

function toText(outcomes: readonly Outcome[], settings: DrillSettings): string {
  const sections = JSON.stringify(toSections(settings));
  const said = sections === '{}' ? 'nothing but mcpServers is configured' : `configured beside mcpServers: ${sections}`;
  const more = settings.kind === 'guide' ? '; for each threat its own sources and bindings' : '';
  return [
    `Set ${setOf(settings)}; ${said}${more}.`,
    ...outcomes.map((outcome) => toLine(outcome, nameOf(settings))),
    '',
  ].join('\n');
}

function toLine(outcome: Outcome, own: string): string {
  const { name, plain, guarded, honest, seen } = outcome;
  const { guard, rule } = guarded;
  const others = containedWith(name).filter((other) => other !== own);
  const help = isContained(outcome) || others.length === 0 ? [] : [`contained with ${others.map(toFlag).join(' or ')}`];
  return [
    `${name}: plain MCP ${plain.harmed ? `HARMED (${seen})` : 'unharmed'}`,
    `Sallyport ${guarded.harmed ? 'HARMED' : 'unharmed'}${guard === null ? '' : ` (${guard}: ${rule ?? ''})`}`,
    `honest twin ${honest.passed ? 'passed' : 'STOPPED'}`,
    ...help,
  ].join('; ');
}

function toFlag(name: string): string {
  return name === 'guide-team' ? '--guide-team' : `--set ${name}`;
}

function summarize(outcomes: readonly Outcome[]): string {
  const contained = outcomes.filter(isContained).length;
  const honest = outcomes.filter((outcome) => outcome.honest.passed).length;
  return `${contained} of ${outcomes.length} threats are contained; the honest work beside them went through in ${honest} of ${outcomes.length}.`;
}
