import type { Principal } from './principal.ts';

/** A run that a client named: its id, and whose it is. Two callers that choose one id have two runs. */
export interface NamedRun {
  /** As the client writes it in `_meta["dev.sallyport/run"]`. */
  readonly id: string;
  readonly principal: string;
  /** The program of the caller; empty where its credential names none. */
  readonly agent: string;
}

const RUN_ID = /^[\x21-\x7e]{1,128}$/;

export function isRunId(id: unknown): id is string {
  return typeof id === 'string' && RUN_ID.test(id);
}

/** The run as everything inside knows it. */
export function toRunKey(id: string, { id: principal, agent = '' }: Pick<Principal, 'id' | 'agent'>): string {
  return ['run', id, principal, agent].map(escapeLines).join('\n');
}

/** `undefined`: the run of a session, which nobody named. */
export function fromRunKey(key: string): NamedRun | undefined {
  const [first, id, principal, agent, more] = key.split('\n');
  if (first !== 'run' || id === undefined || principal === undefined || agent === undefined || more !== undefined)
    return undefined;
  return { id: unescapeLines(id), principal: unescapeLines(principal), agent: unescapeLines(agent) };
}

/** No name ends early: what an identity provider calls somebody may hold a line feed. */
function escapeLines(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function unescapeLines(text: string): string {
  return text.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
}
