import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { CallStore } from './call-store.ts';
import { answerKey, type CallState, createToolContext, InputNeeded } from './context.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { fail, ToolFailure } from './fail.ts';
import { fitResult } from './fit-result.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Seal } from './seal.ts';
import { toMarkdown } from './to-markdown.ts';
import type { Tool } from './tool.ts';

export interface CallPorts {
  readonly seal: Seal;
  readonly limiter: RateLimiter;
  /** Results by idempotency key, opened by the first call that has a key. */
  readonly results: () => CallStore;
  /** Largest text of one result, characters. */
  readonly maxCharacters: number;
  /** One line per call on stderr, or wherever the author wants it. */
  readonly note: (line: CallNote) => void;
}

/** The usage log: what was called, how long it took and how it ended. No arguments, no results. */
export interface CallNote {
  /** Name of the tool; of the resource or prompt, of which only faults are noted. */
  readonly tool: string;
  readonly caller: string | undefined;
  readonly outcome: 'ok' | 'failed' | 'error' | 'asked' | 'cancelled';
  readonly ms: number;
  /** Named in the result of an unexpected error, so that the author finds the cause here. */
  readonly reference?: string;
  readonly cause?: unknown;
}

const TIMEOUT_MS = 60_000;
/** Where a client puts the key of a call that it may repeat. */
export const IDEMPOTENCY_KEY = 'io.sallyport/idempotencyKey';
const MAX_KEY = 200;
const FIRST_WAIT_MS = 100;

/** Runs one call of one tool, from validated input to a result. Rejects only where the protocol wants an error. */
export async function callTool(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  { server, ports }: { readonly server: ServerContext; readonly ports: CallPorts },
): Promise<CallToolResult | InputRequiredResult> {
  const { definition } = tool;
  const startedAt = performance.now();
  const caller = server.http?.authInfo?.clientId;
  const note = (outcome: CallNote['outcome'], more: Partial<CallNote> = {}) =>
    ports.note({ tool: tool.name, caller, outcome, ms: Math.round(performance.now() - startedAt), ...more });
  const state = stateOf(server, tool.name, input);
  const limited =
    definition.perMinute === undefined || (state !== undefined && ports.limiter.isNew(state.round))
      ? 0
      : ports.limiter.take(`${tool.name}\0${caller ?? ''}`, definition.perMinute);
  if (limited > 0) {
    note('failed');
    return toFailure(
      `${tool.name} may be called ${definition.perMinute} times a minute, and this call is one too many.`,
      `Wait ${limited} seconds, then call it again.`,
    );
  }
  const deadline = createDeadline(server.mcpReq.signal, definition.timeoutMs ?? TIMEOUT_MS);
  const steps = state === undefined ? [] : [...state.steps];
  try {
    const key = keyOf(server);
    const work = async () =>
      toResult(
        tool,
        input,
        await runOrRetry(tool, input, { server, deadline, steps, isAnswer: state !== undefined }),
        ports,
      );
    const result =
      key === undefined ? await work() : await ports.results().once(key, digest(caller, tool.name, input), work);
    note('ok');
    return result;
  } catch (error) {
    if (error instanceof InputNeeded) {
      note('asked');
      return inputRequired({
        inputRequests: { [answerKey(steps.length)]: error.request },
        requestState: ports.seal.close({
          steps,
          call: digest(caller, tool.name, input),
          round: randomUUID(),
        } satisfies CallState),
      });
    }
    if (error instanceof ToolFailure) {
      note('failed', { cause: error.cause });
      return toFailure(error.message, error.nextStep);
    }
    if (server.mcpReq.signal.aborted) {
      note('cancelled');
      throw error;
    }
    if (deadline.isOver) {
      note('failed');
      return toFailure(
        `${tool.name} took longer than ${(definition.timeoutMs ?? TIMEOUT_MS) / 1000} seconds and was stopped.`,
        'Ask for less at once, or try again later.',
      );
    }
    const reference = randomUUID().slice(0, 8);
    note('error', { reference, cause: error });
    return toFailure(
      `${tool.name} failed because of a fault in the server (reference ${reference}).`,
      'Try once more. If it fails again, tell the user the reference.',
    );
  } finally {
    deadline.close();
  }
}

interface Round {
  readonly server: ServerContext;
  readonly deadline: Deadline;
  readonly steps: unknown[];
  /** Answers in the request belong to the question that this call has put. */
  readonly isAnswer: boolean;
}

async function runOrRetry(
  { name, definition, outputSchema }: Tool,
  input: Readonly<Record<string, unknown>>,
  { server, deadline, steps, isAnswer }: Round,
) {
  const { times = 0, isTransient = () => false } = definition.retries ?? {};
  for (let attempt = 0; ; attempt++) {
    try {
      const running = definition.run(input, createToolContext(server, deadline, { steps, isAnswered: !isAnswer }));
      const output = running instanceof Promise ? await deadline.limit(running) : running;
      const checked = await outputSchema['~standard'].validate(output);
      if (checked.issues === undefined) return checked.value;
      throw new TypeError(`the output of ${name} does not fit its schema: ${JSON.stringify(checked.issues)}`);
    } catch (error) {
      if (
        error instanceof InputNeeded ||
        server.mcpReq.signal.aborted ||
        deadline.isOver ||
        attempt >= times ||
        !isTransient(error)
      )
        throw error;
      await sleep(FIRST_WAIT_MS * 2 ** attempt, undefined, { signal: deadline.signal });
    }
  }
}

function toResult(
  { definition }: Tool,
  input: Readonly<Record<string, unknown>>,
  output: Readonly<Record<string, unknown>>,
  { maxCharacters }: CallPorts,
): CallToolResult {
  const fitted = fitResult(output, maxCharacters);
  const text =
    input['response_format'] === 'markdown'
      ? (definition.markdown?.(fitted.output) ?? toMarkdown(fitted.output))
      : fitted.json;
  const notice = fitted.notice === undefined ? [] : [{ type: 'text' as const, text: fitted.notice }];
  return { content: [{ type: 'text', text }, ...notice], structuredContent: fitted.output };
}

function toFailure(problem: string, nextStep: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: `${problem} ${nextStep}` }] };
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
