import { createHash, randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { CallStore } from './call-store.ts';
import { answerKey, type CallState, InputNeeded, toChannel } from './context.ts';
import { createDeadline } from './deadline.ts';
import { fail } from './fail.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { type CallNote, runTool, settle, startNote, toFailure, toTimeout } from './run-tool.ts';
import type { Seal } from './seal.ts';
import { capabilitiesOf, isTaskClient } from './tasks/task-methods.ts';
import type { TaskRunner } from './tasks/task-runner.ts';
import type { Tool } from './tool.ts';

export interface CallPorts {
  readonly seal: Seal;
  readonly limiter: RateLimiter;
  /** Results by idempotency key, opened by the first call that has a key. */
  readonly results: () => CallStore;
  /** Opened by the first call of a tool that may be a task. */
  readonly tasks: () => TaskRunner;
  /** Largest text of one result, characters. */
  readonly maxCharacters: number;
  /** One line per call on stderr, or wherever the author wants it. */
  readonly note: (line: CallNote) => void;
}

/** Where a client puts the key of a call that it may repeat. */
export const IDEMPOTENCY_KEY = 'io.sallyport/idempotencyKey';
const MAX_KEY = 200;

type Members = Readonly<Record<string, unknown>>;

/** @param args as the client wrote them, @param input the same, validated */
export interface Arguments {
  readonly args: Members;
  readonly input: Members;
}

/** Runs one call of one tool, from validated input to a result. Rejects only where the protocol wants an error. */
export async function callTool(
  tool: Tool,
  { args, input }: Arguments,
  { server, ports }: { readonly server: ServerContext; readonly ports: CallPorts },
): Promise<CallToolResult | InputRequiredResult> {
  const { perMinute, task } = tool.definition;
  const caller = server.http?.authInfo?.clientId;
  const note = startNote(tool, caller, ports.note);
  const state = stateOf(server, tool.name, input);
  const limited =
    perMinute === undefined || (state !== undefined && ports.limiter.isNew(state.round))
      ? 0
      : ports.limiter.take(`${tool.name}\0${caller ?? ''}`, perMinute);
  if (limited > 0) {
    note('failed');
    return toFailure(
      `${tool.name} may be called ${perMinute} times a minute, and this call is one too many.`,
      `Wait ${limited} seconds, then call it again.`,
    );
  }
  const { signal } = server.mcpReq;
  const deadline = createDeadline(signal, toTimeout(tool));
  const steps = state === undefined ? [] : [...state.steps];
  const isTask = task !== undefined && isTaskClient(server);
  const work = async () =>
    isTask
      ? ports.tasks().start(tool, { args, input, caller, capabilities: capabilitiesOf(server) })
      : runTool(tool, input, {
          ...{ channel: toChannel(server), deadline, signal, maxCharacters: ports.maxCharacters },
          steps: { steps, takeAnswer: createAnswers(server, state !== undefined) },
        });
  try {
    return await settle(
      tool,
      { deadline, signal, note: isTask ? (outcome, more) => note(outcome === 'ok' ? 'started' : outcome, more) : note },
      async () => {
        const key = keyOf(server);
        // A task is no result for a client that asks for none.
        const call = () => digest(caller, tool.name, isTask ? { task: input } : input);
        const result = key === undefined ? await work() : await ports.results().once(key, call(), work);
        return isTask ? ports.tasks().refresh(result) : result;
      },
    );
  } catch (error) {
    if (!(error instanceof InputNeeded)) throw error;
    return inputRequired({
      inputRequests: { [answerKey(steps.length)]: error.request },
      requestState: ports.seal.close({
        steps,
        call: digest(caller, tool.name, input),
        round: randomUUID(),
      } satisfies CallState),
    });
  } finally {
    deadline.close();
  }
}

/** The first question takes the answer in the request: an answer to one question is none to another. */
function createAnswers({ mcpReq }: ServerContext, hasState: boolean): (key: string) => unknown {
  // Without the state of this call, nobody knows what was asked.
  let isUsed = !hasState;
  return (key) => {
    const answer = isUsed ? undefined : mcpReq.inputResponses?.[key];
    isUsed ||= answer !== undefined;
    return answer;
  };
}

/** That of an earlier round. A state of another call proves nothing here: the questions are asked anew. */
function stateOf({ mcpReq, http }: ServerContext, name: string, input: unknown): CallState | undefined {
  const state = mcpReq.requestState<CallState>();
  return state !== undefined && state.call === digest(http?.authInfo?.clientId, name, input) ? state : undefined;
}

/** @throws ToolFailure for a key that cannot be kept: a client that trusts in it must not run twice. */
function keyOf({ mcpReq, http }: ServerContext): string | undefined {
  const key = mcpReq._meta?.[IDEMPOTENCY_KEY];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY)
    return fail(
      `The idempotency key is not a text of 1 to ${MAX_KEY} characters.`,
      'Call again with a key such as a UUID.',
    );
  // A digest, because SQLite ends a text at a NUL.
  return digest(http?.authInfo?.clientId, 'key', key);
}

function digest(caller: string | undefined, name: string, input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([caller, name, input]))
    .digest('base64url');
}
