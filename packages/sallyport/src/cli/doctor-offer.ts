import { isObject, type JsonObject, member } from '../core/json.ts';
import type { ChildReport } from '../upstream/child-report.ts';
import type { Patient } from './doctor-patient.ts';
import type { WatchedSession } from './doctor-session.ts';
import { EXIT, type Finding, PATIENCE, type Step, toSeconds } from './doctor-steps.ts';
import { type ListRules, listItems, PROMPTS, RESOURCES, TOOLS } from './list-items.ts';

/** What differs between servers reached by URL and started ones. */
export interface OfferRules {
  readonly patient: Patient;
  readonly watched: WatchedSession;
  /** A failure, in the words of the transport. */
  readonly explain: (error: unknown) => Finding;
}

/** How long all ways of connecting may take together: two questions, and for a started server a second start and an end. */
export function connectDeadline(waitMs: number): number {
  return 2 * waitMs + 8000;
}

/** The last steps, equal for all transports: what the server speaks and what it offers. */
export function toOfferSteps(rules: OfferRules): readonly Step[] {
  const { patient, watched } = rules;
  const { waitMs } = patient;
  const late = (seconds: string) => ({ detail: `The server did not answer within ${seconds}.`, fix: PATIENCE });
  const common = { exit: EXIT.unreachable, deadlineMs: connectDeadline(waitMs), late };
  return [
    { ...common, name: 'era', run: () => findEra(rules) },
    {
      ...common,
      name: 'capabilities',
      run: async () => describeCapabilities((await watched.identify()).capabilities),
    },
    { ...common, name: 'list', run: () => askForList(rules) },
  ];
}

async function findEra({ watched, explain }: OfferRules): Promise<Finding> {
  try {
    const { revision, serverInfo } = await watched.identify();
    const { modern, legacy } = watched.learned() ?? {};
    const era = modern?.revision !== undefined ? 'modern' : legacy?.revision !== undefined ? 'legacy' : 'unknown';
    const [name, version] = [member(serverInfo, 'name'), member(serverInfo, 'version')];
    const says = typeof name === 'string' ? `; it calls itself ${[name, version].filter(isText).join(' ')}` : '';
    const detail = `${era}, revision ${revision}${says}.`;
    if (watched.starts() < 2) return { outcome: 'ok', detail };
    return {
      outcome: 'warning',
      detail: `${detail} It did not survive the question for its era and was started a second time.`,
      fix: `Set "era": "${era}" for this server to save the second start (--era ${era}).`,
    };
  } catch (error) {
    return explain(error);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function describeCapabilities(capabilities: JsonObject): Finding {
  const names = Object.keys(capabilities).slice(0, 20);
  if (names.length > 0) return { outcome: 'ok', detail: `${names.join(', ')}.` };
  return {
    outcome: 'warning',
    detail: 'The server declares no capabilities: clients will use nothing of it.',
    fix: 'Have the server declare what it offers (tools, resources, prompts) when it is asked who it is.',
  };
}

const LISTS: readonly ListRules[] = [TOOLS, RESOURCES, PROMPTS];

async function askForList(rules: OfferRules): Promise<Finding> {
  const { watched, explain } = rules;
  const { capabilities } = await watched.identify();
  const list = LISTS.find(({ key }) => isObject(member(capabilities, key)));
  if (list === undefined) return { outcome: 'skipped', detail: 'It offers no tools, resources or prompts.' };
  const startedAt = performance.now();
  try {
    const listed = await listItems(watched.session, list);
    if (listed.kind === 'refused') {
      const { code, message } = listed.error;
      return {
        outcome: 'failed',
        detail: `The server answered ${list.method} with its own error: ${message.slice(0, 500)} (${code}).`,
        fix: 'This is for the server to mend: see its log, and whether it lacks settings or credentials of its own.',
        exit: EXIT.other,
      };
    }
    const count = listed.items.length;
    const word = count === 1 ? list.key.slice(0, -1) : list.key;
    const took = toSeconds(performance.now() - startedAt);
    if (count === 0) {
      return {
        outcome: 'warning',
        detail: `The server has no ${list.key}, although it declares them.`,
        fix: 'Check its settings and credentials: some servers show nothing until they are set up.',
      };
    }
    return { outcome: 'ok', detail: `${count} ${word}, listed in ${took}.` };
  } catch (error) {
    return explain(error);
  }
}

/** The end of a process in words, with its last lines on stderr and its noise. `undefined`: it did not end by itself. */
export function unplannedExit(report: ChildReport | undefined): ChildReport['exit'] {
  return report?.exit === undefined || report.exit.planned ? undefined : report.exit;
}
