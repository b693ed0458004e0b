import { toDefinition } from '../catalog/pins/define-item.ts';
import type { Definition, PinState } from '../catalog/pins/pin.ts';
import { waitAtMost } from '../catalog/wait-at-most.ts';
import type { PinMode } from '../config/pins-section.ts';
import type { ServerSettings, Transport } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { toChildEnvironment } from '../upstream/child-environment.ts';
import { type ProgramFacts, ProgramLooker, type SeenProgram } from '../upstream/program/look-at-program.ts';
import type { AdmitProgram } from '../upstream/supervisor.ts';

/** Where is kept which programs are approved. */
export interface ProgramPins {
  /** `undefined`: it may be started. */
  meetProgram(server: string, definition: Definition): Exclude<PinState, 'approved'> | undefined;
  approvedProgram(server: string): string | undefined;
  /** Whether nobody, nor first sight, has decided about any program of the server. */
  isUndecided(server: string): boolean;
}

export interface ProgramGatePorts {
  readonly pins: ProgramPins;
  /** `undefined`: programs are not looked at. */
  readonly mode: () => PinMode | undefined;
  readonly log: Log;
  /** Sallyport's own environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** What runs behind stdio commands, compared with what was approved. */
export interface ProgramGate {
  /** Before each start. */
  readonly admit: AdmitProgram;
  /** After a start: whether it fetched something that is not approved. Asks only where the start may have fetched anything. */
  isOtherSinceStart(settings: ServerSettings): Promise<boolean>;
}

/** A folder on a network drive that does not answer must not hold up everything. Milliseconds. */
const LOOK_MS = 30_000;

export function createProgramGate({ pins, mode, log, environment = process.env }: ProgramGatePorts): ProgramGate {
  const looker = new ProgramLooker();
  /** Servers whose start fetches what it runs, or may. */
  const fetching = new Set<string>();

  const meet = ({ name }: ServerSettings, seen: Exclude<SeenProgram, { kind: 'absent' }>): string | undefined => {
    const definition = defineProgram(seen.facts);
    const before = pins.approvedProgram(name);
    const state = pins.meetProgram(name, definition);
    if (seen.kind === 'opaque' && mode() === 'locked')
      return `The server "${name}" is not started: nobody can tell what its command runs (${seen.reason}), and mode locked runs only what is known. Give an exact version, a file or an image digest.`;
    return state === undefined ? undefined : whyNotStarted(name, state, { before, now: seen.facts });
  };

  return {
    async admit(settings, childEnvironment) {
      const now = mode();
      if (now === undefined) return;
      const { name } = settings;
      const isUndecided = pins.isUndecided(name);
      const found = await look(looker, settings.transport, childEnvironment);
      if (found === 'late') {
        // A busy machine must not become the pin of a program: it is looked at again at the next start.
        if (isUndecided && (now === 'laptop' || now === 'off')) return;
        throw new FaultError(
          'denied',
          `The server "${name}" is not started: its files could not be read within ${LOOK_MS / 1000} s, so nobody can tell whether its program is approved. They are read again at the next start.`,
        );
      }
      const seen = toDecidable(found, isUndecided);
      if (seen === undefined) return;
      if (seen.kind === 'absent') {
        const isExpected = now === 'team' && runsOf(pins.approvedProgram(name)) === seen.runs;
        if (now !== 'laptop' && now !== 'off' && !isExpected)
          throw new FaultError(
            'denied',
            `The server "${name}" is not started: ${seen.runs} is not on this machine yet, so nobody can have approved it. Fetch it without starting it: ${seen.how}`,
          );
        fetching.add(name);
        return;
      }
      if (seen.facts['floating'] === true) fetching.add(name);
      else fetching.delete(name);
      const why = meet(settings, seen);
      if (why !== undefined) throw new FaultError('denied', why);
    },

    async isOtherSinceStart(settings) {
      if (mode() === undefined || settings.transport.type !== 'stdio' || !fetching.has(settings.name)) return false;
      const children = toChildEnvironment(environment, settings.transport.env);
      const found = await look(looker, settings.transport, children);
      if (found === 'late') return !pins.isUndecided(settings.name);
      const seen = toDecidable(found, pins.isUndecided(settings.name));
      if (seen === undefined || seen.kind === 'absent') return false;
      const why = meet(settings, seen);
      if (why !== undefined) log.warn({ upstream: settings.name }, why);
      return why !== undefined;
    },
  };
}

/**
 * What npx is still unpacking is not pinned at first sight: the whole of it would be another program. Where a decision stands,
 * it is compared as it is, so that nobody gets past it by leaving a part away.
 */
function toDecidable(seen: SeenProgram | undefined, isUndecided: boolean): SeenProgram | undefined {
  if (seen?.kind !== 'absent' || seen.partial === undefined || isUndecided) return seen;
  return { kind: 'known', facts: seen.partial };
}

/** `late`: its files could not be read in time. */
async function look(
  looker: ProgramLooker,
  transport: Transport,
  environment: Readonly<Record<string, string>>,
): Promise<SeenProgram | 'late' | undefined> {
  let seen: SeenProgram | undefined;
  const looking = looker.look(transport, environment).then((found) => {
    seen = found;
  });
  return (await waitAtMost(looking, LOOK_MS)) ? seen : 'late';
}

/** The digest of what a command would run. `undefined`: nothing is started, it has to be fetched first, or nobody can tell. */
export async function digestProgram(transport: Transport): Promise<string | undefined> {
  if (transport.type !== 'stdio') return undefined;
  const seen = await look(new ProgramLooker(), transport, toChildEnvironment(process.env, transport.env));
  return seen !== 'late' && seen?.kind === 'known' ? defineProgram(seen.facts).digest : undefined;
}

/** The definition that stands for what a command runs. */
function defineProgram(facts: ProgramFacts): Definition {
  return toDefinition('program', JSON.stringify(facts));
}

function whyNotStarted(
  server: string,
  state: Exclude<PinState, 'approved'>,
  { before, now }: { readonly before: string | undefined; readonly now: ProgramFacts },
): string {
  const is = describe(now);
  const cause = {
    new: `nobody has approved its program yet: ${is}`,
    changed: `its program is not the approved one: ${is} now, ${before === undefined ? 'another in the lock file' : `${describeText(before)} before`}`,
    rejected: `its program was rejected: ${is}`,
    unlisted: `the lock file does not name its program: ${is}`,
  }[state];
  return `The server "${server}" is not started: ${cause}. A person has to approve it (server ${server}, program).`;
}

function describeText(text: string): string {
  const facts: unknown = JSON.parse(text);
  return isObject(facts) ? describe(facts) : 'another';
}

/** `npm:notes@1.2.0 (sha256:0123456789ab)` */
function describe(facts: unknown): string {
  const [runs, digest, opaque] = ['runs', 'digest', 'opaque'].map((key) => member(facts, key));
  const detail = typeof digest === 'string' ? digest.slice(0, 19) : opaque;
  return typeof detail === 'string' ? `${String(runs)} (${detail})` : String(runs);
}

function runsOf(text: string | undefined): unknown {
  return text === undefined ? undefined : member(JSON.parse(text), 'runs');
}
