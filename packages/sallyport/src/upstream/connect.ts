import type { ServerSettings } from '../config/settings.ts';
import type { Era } from '../core/client.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Answer } from '../core/message.ts';
import type { Connection } from './connection.ts';
import { judgeDiscover, judgeInitialize, toFailedOutcome, toOutcome, type Verdict } from './era.ts';
import type { EraFinding, EraRecord } from './era-store.ts';
import type { HttpOrigin } from './http-origin.ts';
import { openHttpWire } from './http-wire.ts';
import { askInitialize, establishLegacy } from './legacy.ts';
import { askDiscover, toModernDialect, toModernIdentity } from './modern.ts';
import { LATEST_MODERN } from './revisions.ts';
import { openSseWire } from './sse-wire.ts';
import type { Supervisor } from './supervisor.ts';

export interface ConnectOptions {
  readonly settings: ServerSettings;
  readonly supervisor: Supervisor;
  /** `undefined` for stdio. */
  readonly origin: HttpOrigin | undefined;
  readonly log: Log;
  /** A new one for each attempt. */
  readonly createConnection: () => Connection;
  /** On whose behalf. */
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject;
  readonly signal: AbortSignal;
  /** The era of the client: the server's own one of this era is tried first. */
  readonly wanted: Era;
  /** What was found before. */
  readonly known: EraRecord;
}

/** How long a server not known to be modern may stay silent to `server/discover` before `initialize` is tried beside it. */
const QUIET_MS = 2000;

export interface Connected {
  readonly connection: Connection;
  readonly transport: EraFinding['transport'];
  /** The era that was asked for first and is not there. */
  readonly missing: Era | undefined;
}

/**
 * Makes a connection and its handshake, in the era that is forced, that the client speaks, or that is there.
 * @throws FaultError that says what was tried and what came of it.
 */
export function connect(options: ConnectOptions): Promise<Connected> {
  return options.settings.transport.type === 'stdio' ? connectStdio(options) : connectHttp(options);
}

/** The era to ask for first. */
function toFirst({ settings, wanted, known }: ConnectOptions): Era {
  if (settings.era !== 'auto') return settings.era;
  const found = known[wanted];
  return found !== undefined && found.revision === undefined ? toOther(wanted) : wanted;
}

function toOther(era: Era): Era {
  return era === 'legacy' ? 'modern' : 'legacy';
}

/** A probe's verdict, with what is needed to go on. */
interface Probe {
  readonly verdict: Verdict;
  readonly answer: Answer | undefined;
  readonly fault: FaultError;
}

async function discover(connection: Connection, options: ConnectOptions, timeoutMs: number): Promise<Probe> {
  const hello = { capabilities: options.capabilities, clientInfo: options.clientInfo };
  const first = await probe(
    askDiscover(connection, { ...hello, revision: LATEST_MODERN }, timeoutMs),
    connection,
    'server/discover',
  );
  const { verdict } = first;
  if (verdict.kind !== 'modern') return first;
  let { answer } = first;
  if (answer?.result === undefined) {
    // -32022 names a revision we share: the identity is still to be asked for.
    const again = await probe(
      askDiscover(connection, { ...hello, revision: verdict.revision }, timeoutMs),
      connection,
      'server/discover',
    );
    answer = again.answer;
    if (answer?.result === undefined) return { ...again, verdict: { kind: 'incompatible' } };
  }
  connection.dialect = toModernDialect(toModernIdentity(answer.result, verdict.revision));
  return { ...first, answer };
}

async function initialize(connection: Connection, options: ConnectOptions, timeoutMs: number): Promise<Probe> {
  const hello = { capabilities: options.capabilities, clientInfo: options.clientInfo };
  const probed = await probe(askInitialize(connection, hello, timeoutMs), connection, 'initialize', judgeInitialize);
  if (probed.verdict.kind === 'legacy' && probed.answer?.result !== undefined)
    await establishLegacy(connection, probed.answer.result, timeoutMs);
  return probed;
}

async function probe(
  asked: Promise<Answer>,
  connection: Connection,
  method: string,
  judge = judgeDiscover,
): Promise<Probe> {
  try {
    const answer = await asked;
    return { verdict: judge(toOutcome(answer)), answer, fault: toRefusal(answer, connection, method) };
  } catch (error) {
    return { verdict: judge(toFailedOutcome(error)), answer: undefined, fault: toFault(error) };
  }
}

function toRefusal(answer: Answer, connection: Connection, method: string): FaultError {
  const { name } = connection.settings;
  if (answer.outcome.kind === 'result')
    return new FaultError('upstream_protocol', `"${name}" gave ${method} an answer that is none.`);
  const { code, message } = answer.outcome.error;
  return new FaultError('upstream_protocol', `"${name}" refused ${method}: ${message.slice(0, 200)} (${code}).`, {
    isQuoting: true,
  });
}

// stdio

/** The one era, then on the same process the other; a second process only for a server that did not survive the question. */
async function connectStdio(options: ConnectOptions): Promise<Connected> {
  const { settings } = options;
  const first = toFirst(options);
  const connection = await openStdio(options);
  try {
    const probed =
      first === 'modern'
        ? await discover(connection, options, toPatience(options))
        : await initialize(connection, options, settings.startTimeoutMs);
    if (connection.dialect !== undefined) return { connection, transport: 'stdio', missing: undefined };
    if (settings.era !== 'auto' || probed.verdict.kind === 'stop' || probed.verdict.kind === 'incompatible')
      throw probed.fault;
    const found = await (first === 'modern' ? fallBack : turnModern)(connection, options, probed);
    return { connection: found, transport: 'stdio', missing: first };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** How long a modern server may take for its first answer; one that may be legacy may never give it. */
function toPatience({ settings, known }: ConnectOptions): number {
  const isModern = settings.era === 'modern' || known.modern?.revision !== undefined;
  return isModern ? settings.startTimeoutMs : Math.min(QUIET_MS, settings.startTimeoutMs);
}

/** After `server/discover`. */
async function fallBack(connection: Connection, options: ConnectOptions, discovered: Probe): Promise<Connection> {
  const { startTimeoutMs } = options.settings;
  if (connection.usable) {
    const probed = await initialize(connection, options, startTimeoutMs);
    if (connection.dialect === undefined && probed.answer !== undefined) {
      // It answers, so it is up: a modern server that was slow to start answers discover now.
      if (discovered.answer === undefined) await discover(connection, options, startTimeoutMs);
      if (connection.dialect === undefined) throw probed.fault;
    }
    if (connection.dialect !== undefined) return connection;
    await connection.close();
  }
  return startAgain(options, initialize);
}

/** After `initialize`. Silence is no reason to ask otherwise: a legacy server may just be slow to start. */
async function turnModern(connection: Connection, options: ConnectOptions, initialized: Probe): Promise<Connection> {
  if (initialized.answer !== undefined) {
    await discover(connection, options, options.settings.startTimeoutMs);
    if (connection.dialect !== undefined) return connection;
  }
  if (connection.usable || options.known.legacy?.revision !== undefined) throw initialized.fault;
  return startAgain(options, discover).catch((error: unknown) => {
    throw toFault(error).code === 'draining' ? error : initialized.fault;
  });
}

async function startAgain(options: ConnectOptions, ask: typeof discover): Promise<Connection> {
  options.log.debug(
    { upstream: options.settings.name },
    'Starting the server again: it did not survive the question for its era',
  );
  const second = await openStdio(options);
  const probed = await ask(second, options, options.settings.startTimeoutMs).catch(async (error: unknown) => {
    await second.close();
    throw error;
  });
  if (second.dialect !== undefined) return second;
  await second.close();
  throw probed.fault;
}

async function openStdio({ settings, supervisor, createConnection, signal }: ConnectOptions): Promise<Connection> {
  const connection = createConnection();
  try {
    connection.attach(await supervisor.openWire(settings, connection, signal));
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}

// HTTP

type Step = 'discover' | 'initialize' | 'sse';

/** Modern, legacy Streamable HTTP, HTTP+SSE, in the order that what is known suggests, until one of them works. */
async function connectHttp(options: ConnectOptions): Promise<Connected> {
  const faults: { readonly step: Step; readonly fault: FaultError }[] = [];
  for (const step of toSteps(options)) {
    const attempt = await tryStep(step, options);
    if ('connection' in attempt) {
      const { era } = attempt.connection.dialect ?? { era: toEra(step) };
      // HTTP+SSE is of the legacy era by its transport.
      const isAlone = options.settings.transport.type === 'sse' || faults.some((failed) => toEra(failed.step) !== era);
      const missing = isAlone ? toOther(era) : undefined;
      return { ...attempt, missing };
    }
    faults.push({ step, fault: attempt.fault });
    if (attempt.verdict.kind === 'stop' || attempt.verdict.kind === 'incompatible') break;
  }
  const last = faults.at(-1)?.fault;
  if (last === undefined)
    throw new FaultError('config', `"${options.settings.name}" speaks no era that its transport can carry.`);
  if (faults.length === 1 || last.code === 'upstream_unauthenticated' || last.code === 'unreachable') throw last;
  const tried = faults.map(({ step, fault }) => `${STEP_NAMES[step]}: ${fault.message}`).join(' ');
  throw new FaultError(
    'upstream_protocol',
    `"${options.settings.name}" is no MCP server as far as could be found. ${tried}`,
    { cause: last },
  );
}

const STEP_NAMES: Readonly<Record<Step, string>> = {
  discover: 'server/discover',
  initialize: 'initialize',
  sse: 'HTTP+SSE',
};

function toSteps(options: ConnectOptions): readonly Step[] {
  const { settings, known } = options;
  const { type } = settings.transport;
  if (type === 'sse') return ['sse'];
  const [legacy, lesser]: readonly Step[] =
    known.legacy?.transport === 'sse' ? ['sse', 'initialize'] : ['initialize', 'sse'];
  const order: readonly (Step | undefined)[] =
    toFirst(options) === 'modern' ? ['discover', legacy, lesser] : [legacy, 'discover', lesser];
  return order.filter((step): step is Step => {
    if (step === 'sse') return type === 'auto' && settings.era !== 'modern';
    return settings.era === 'auto' || (step === 'discover') === (settings.era === 'modern');
  });
}

function toEra(step: Step): Era {
  return step === 'discover' ? 'modern' : 'legacy';
}

type Attempt = Omit<Connected, 'missing'> | { readonly verdict: Verdict; readonly fault: FaultError };

async function tryStep(step: Step, options: ConnectOptions): Promise<Attempt> {
  const { settings, origin, createConnection, log } = options;
  if (origin === undefined) throw new FaultError('internal', 'An HTTP upstream without an address.');
  const timeoutMs = settings.startTimeoutMs;
  const connection = createConnection();
  try {
    if (step === 'sse') connection.attach(await openSseWire({ origin, sink: connection, timeoutMs }));
    else connection.attach(openHttpWire({ origin, sink: connection, log }));
    const probed = await (step === 'discover' ? discover : initialize)(connection, options, timeoutMs);
    if (connection.dialect !== undefined) return { connection, transport: step === 'sse' ? 'sse' : 'http' };
    await connection.close();
    return probed;
  } catch (error) {
    await connection.close();
    return { verdict: judgeInitialize(toFailedOutcome(error)), fault: toFault(error) };
  }
}
