import { readControlToken } from '../app/control-token.ts';
import { localUser } from '../app/local-user.ts';
import { openOfflineControl } from '../app/offline-control.ts';
import { DEFAULT_AUDIT } from '../config/audit-section.ts';
import { PREFIX } from '../control/api.ts';
import { OPERATIONS, type OperationId, type Operations, type StreamId, type TextId } from '../control/operations.ts';
import { FAILURES, type FailureCode, FaultError } from '../core/errors.ts';
import { type Json, member } from '../core/json.ts';
import { isAnswered, isTrusted, toSocketPath } from '../gateway/control-socket.ts';
import { type ApiAnswer, type ApiTransport, createLocalTransport, createSocketTransport } from './api-transport.ts';
import { type Input, textOption } from './command.ts';
import { findConfigFile, findStateDir, readSnapshot } from './config-file.ts';

/** What an operation takes: path parameters, query and body, as its route declares them. */
export type ApiInput<Id extends OperationId | StreamId | TextId> = Given<Operations[Id]['input']>;
/** What may be left out may also be given as `undefined`: it is not sent. */
type Given<T> = T extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : T extends object
    ? {
        readonly [Key in keyof T]: Partial<Pick<T, Key>> extends Pick<T, Key>
          ? Given<T[Key]> | undefined
          : Given<T[Key]>;
      }
    : T;
/** What comes back. */
export type ApiResult<Id extends OperationId> = Operations[Id] extends { readonly result: infer Result }
  ? Result
  : never;

/** The administration of a Sallyport, typed by its OpenAPI document: the one way in for every command. */
export interface Api {
  /** False: no Sallyport runs on this state directory, and this process answers over its storage. */
  readonly isRunning: boolean;
  /** One operation. @throws FaultError with the code of the problem it was answered with. */
  call<Id extends OperationId>(id: Id, input: ApiInput<Id>): Promise<ApiResult<Id>>;
  /** Text, piece by piece. @throws FaultError as `call` does. */
  read<Id extends TextId>(id: Id, input: ApiInput<Id>): Promise<AsyncIterable<string>>;
  /**
   * Events of one stream until the signal of the command ends it, or whoever sends them does.
   * @throws FaultError as `call` does; `unreachable` when the running Sallyport ended.
   */
  follow<Id extends StreamId>(id: Id, input: ApiInput<Id>, onEvent: (event: string, data: Json) => void): Promise<void>;
}

export interface ApiPlace {
  /** In this process, whether or not a Sallyport runs: what is asked is whether that one can be believed. */
  readonly here?: boolean | undefined;
  /** The record of another folder; in this process, and with a database that ends with it. */
  readonly auditDirectory?: string | undefined;
  /** A file of published heads, instead of the one of the configuration. */
  readonly auditAnchor?: string | undefined;
}

/** Opens the API for the length of one command: over the control socket of a running Sallyport, else in this process. */
export async function withApi<T>(
  input: Input,
  work: (api: Api) => Promise<T>,
  { here = false, ...place }: ApiPlace = {},
): Promise<T> {
  const stateDir = findStateDir(input.terminal);
  const isRunning = !here && place.auditDirectory === undefined && (await isAnswered(stateDir));
  const transport = isRunning
    ? createSocketTransport(toSocketPath(stateDir), {
        isTrusted: () => isTrusted(stateDir),
        token: await readControlToken(stateDir),
      })
    : openLocal(input, stateDir, place);
  try {
    return await work(createApi(transport, { isRunning, signal: input.signal }));
  } finally {
    await transport.close();
  }
}

function openLocal(
  { terminal, options }: Input,
  stateDir: string,
  { auditDirectory, auditAnchor }: ApiPlace,
): ApiTransport {
  const file = () => findConfigFile(textOption(options, 'config'), terminal);
  const read = (only?: string) =>
    readSnapshot({ file: file(), env: terminal.env, stateDir, version: 1, ...(only === undefined ? {} : { only }) });
  const { control, close } = openOfflineControl({
    stateDir,
    env: terminal.env,
    snapshot: () => read(),
    // No server has this name: what is wrong with servers does not matter then.
    sections: () => {
      const sections = read('');
      const audit = sections.audit ?? DEFAULT_AUDIT;
      const anchor = auditAnchor === undefined ? undefined : `file:${auditAnchor}`;
      if (auditDirectory !== undefined)
        return { ...sections, audit: { ...audit, mode: 'batched', directory: auditDirectory, anchor } };
      return anchor === undefined ? sections : { ...sections, audit: { ...audit, anchor } };
    },
    ...(auditDirectory === undefined ? {} : { databaseFile: ':memory:' }),
  });
  return createLocalTransport(control, { principal: localUser(), close });
}

function createApi(
  transport: ApiTransport,
  { isRunning, signal }: { readonly isRunning: boolean; readonly signal: AbortSignal },
): Api {
  const send = async (
    id: OperationId | StreamId | TextId,
    given: ApiInput<OperationId | StreamId | TextId>,
  ): Promise<ApiAnswer> => {
    const input: Written = given as Written; // every input has this shape: scripts/api-types.mjs makes them
    const { method, path } = OPERATIONS[id];
    const answer = await transport.send({
      method,
      path: PREFIX + fillIn(path, input.path ?? {}),
      query: toQuery(input.query ?? {}),
      body: input.body === undefined ? undefined : JSON.stringify(input.body),
      signal,
    });
    if (answer.kind === 'whole' && answer.status >= 400) throw toFault(answer.text);
    return answer;
  };
  return {
    isRunning,
    async call<Id extends OperationId>(id: Id, input: ApiInput<Id>) {
      const answer = await send(id, input);
      if (answer.kind !== 'whole') throw otherVersion();
      return JSON.parse(answer.text) as ApiResult<Id>; // the running one is of our version, and its answers are tested against the types
    },
    async read(id, input) {
      const answer = await send(id, input);
      if (answer.kind !== 'text') throw otherVersion();
      return answer.pieces;
    },
    async follow(id, input, onEvent) {
      const answer = await send(id, input);
      if (answer.kind !== 'events') throw otherVersion();
      await follow(answer, signal, onEvent);
    },
  };
}

/** An input, whatever the operation. */
interface Written {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

function fillIn(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

function toQuery(values: NonNullable<Written['query']>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return query.toString();
}

function toFault(text: string): FaultError {
  let problem: unknown;
  try {
    problem = JSON.parse(text);
  } catch {
    return otherVersion();
  }
  const code = member(problem, 'code');
  const known = typeof code === 'string' && Object.hasOwn(FAILURES, code) ? (code as FailureCode) : 'internal'; // own key of the table
  return new FaultError(known, String(member(problem, 'detail') ?? 'The running Sallyport refused this.'));
}

function otherVersion(): FaultError {
  return new FaultError(
    'internal',
    'The running Sallyport does not understand this command; both must be of the same version.',
  );
}

/** Longer than any event of ours. */
const MAX_EVENT = 16 * 1024 * 1024;

function follow(
  answer: Extract<ApiAnswer, { kind: 'events' }>,
  signal: AbortSignal,
  onEvent: (event: string, data: Json) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = '';
    const take = (text: string): void => {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      if (rest.length > MAX_EVENT) throw new FaultError('too_large', 'An event of the running Sallyport has no end.');
      for (const block of blocks) {
        const event = /^event: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (event !== undefined && data !== undefined) onEvent(event, JSON.parse(data) as Json);
      }
    };
    const stop = answer.follow(
      (text) => {
        try {
          take(text);
        } catch (error) {
          reject(error);
          stop();
        }
      },
      (fault) => (fault === undefined || signal.aborted ? resolve() : reject(fault)),
    );
    const end = (): void => {
      stop();
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
