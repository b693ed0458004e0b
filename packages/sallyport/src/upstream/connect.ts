import type { ServerSettings } from '../config/settings.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Answer } from '../core/message.ts';
import type { Connection } from './connection.ts';
import { judgeDiscover, judgeInitialize, toFailedOutcome, toOutcome, type Verdict } from './era.ts';
import type { EraRecord } from './era-store.ts';
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
  /** What was found before. */
  readonly known: EraRecord | undefined;
}

/** How long a server may stay silent to `server/discover` before `initialize` is tried beside it. */
const QUIET_MS = 2000;

export type TransportKind = EraRecord['transport'];

export interface Connected {
  readonly connection: Connection;
  readonly transport: TransportKind;
}

/**
 * Makes a connection and its handshake, in the era that is forced, known, or found out now.
 * @throws FaultError that says what was tried and what came of it.
 */
export function connect(options: ConnectOptions): Promise<Connected> {
  return options.settings.transport.type === 'stdio' ? connectStdio(options) : connectHttp(options);
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
  return new FaultError('upstream_protocol', `"${name}" refused ${method}: ${message.slice(0, 200)} (${code}).`);
}

// stdio

/**
 * `server/discover` first, `initialize` on the same process when that is refused or not answered; a second process only
 * for a server that dies of the unknown request or is struck dumb by it.
 */
async function connectStdio(options: ConnectOptions): Promise<Connected> {
  const { settings, known } = options;
  const first = settings.era === 'auto' ? (known?.era ?? 'modern') : settings.era;
  const connection = await openStdio(options);
  try {
    if (first === 'legacy') {
      const probed = await initialize(connection, options, settings.startTimeoutMs);
      if (connection.dialect !== undefined) return { connection, transport: 'stdio' };
      // Refused though it should know: the server may have been replaced by a modern one.
      if (settings.era !== 'auto' || probed.answer === undefined) throw probed.fault;
      await discover(connection, options, settings.startTimeoutMs);
      if (connection.dialect === undefined) throw probed.fault;
      return { connection, transport: 'stdio' };
    }
    const quiet =
      settings.era === 'modern' || known?.era === 'modern'
        ? settings.startTimeoutMs
        : Math.min(QUIET_MS, settings.startTimeoutMs);
    const probed = await discover(connection, options, quiet);
    if (connection.dialect !== undefined) return { connection, transport: 'stdio' };
    if (settings.era === 'modern' || probed.verdict.kind === 'stop' || probed.verdict.kind === 'incompatible')
      throw probed.fault;
    return await fallBack(connection, options, probed);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function fallBack(connection: Connection, options: ConnectOptions, discovered: Probe): Promise<Connected> {
  const { startTimeoutMs } = options.settings;
  if (connection.usable) {
    const probed = await initialize(connection, options, startTimeoutMs);
    if (connection.dialect === undefined && probed.answer !== undefined) {
      // It answers, so it is up: a modern server that was slow to start answers discover now.
      if (discovered.answer === undefined) await discover(connection, options, startTimeoutMs);
      if (connection.dialect === undefined) throw probed.fault;
    }
    if (connection.dialect !== undefined) return { connection, transport: 'stdio' };
    await connection.close();
  }
  options.log.debug(
    { upstream: options.settings.name },
    'Starting the server again: it did not survive the question for its era',
  );
  const second = await openStdio(options);
  const probed = await initialize(second, options, startTimeoutMs).catch(async (error: unknown) => {
    await second.close();
    throw error;
  });
  if (second.dialect !== undefined) return { connection: second, transport: 'stdio' };
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
    if ('connection' in attempt) return attempt;
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

function toSteps({ settings, known }: ConnectOptions): readonly Step[] {
  const { type } = settings.transport;
  if (type === 'sse') return ['sse'];
  const order: Step[] =
    known?.era === 'legacy'
      ? known.transport === 'sse'
        ? ['sse', 'discover', 'initialize']
        : ['initialize', 'discover', 'sse']
      : ['discover', 'initialize', 'sse'];
  return order.filter((step) => {
    if (step === 'sse') return type === 'auto' && settings.era !== 'modern';
    return settings.era === 'auto' || (step === 'discover') === (settings.era === 'modern');
  });
}

type Attempt = Connected | { readonly verdict: Verdict; readonly fault: FaultError };

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
