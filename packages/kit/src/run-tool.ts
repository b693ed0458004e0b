import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Channel, createToolContext, InputNeeded, type Steps } from './context.ts';
import type { Deadline } from './deadline.ts';
import { ToolFailure } from './fail.ts';
import { fitResult } from './fit-result.ts';
import { toMarkdown } from './to-markdown.ts';
import type { Tool } from './tool.ts';

/** The usage log: what was called, how long it took and how it ended. No arguments, no results. */
export interface CallNote {
  /** Name of the tool; of the resource or prompt, of which only faults are noted. */
  readonly tool: string;
  readonly caller: string | undefined;
  /** `asked`: the client has to answer a question first. `started`: the work goes on as a task. */
  readonly outcome: 'ok' | 'failed' | 'error' | 'asked' | 'started' | 'cancelled';
  readonly ms: number;
  /** Named in the result of an unexpected error, so that the author finds the cause here. */
  readonly reference?: string;
  readonly cause?: unknown;
}

/** One run of a tool: a call, or a task up to its end or its next question. */
export interface ToolRun {
  readonly channel: Channel;
  readonly deadline: Deadline;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
  readonly steps: Steps;
  /** Largest text of one result, characters. */
  readonly maxCharacters: number;
}

export type Note = (outcome: CallNote['outcome'], more?: Partial<CallNote>) => void;

const TIMEOUT_MS = 60_000;
/** Of a tool whose work may be a task. */
const TASK_TIMEOUT_MS = 3_600_000;
const FIRST_WAIT_MS = 100;

export function toTimeout({ definition }: Tool): number {
  return definition.timeoutMs ?? (definition.task === undefined ? TIMEOUT_MS : TASK_TIMEOUT_MS);
}

export function startNote(tool: Tool, caller: string | undefined, note: (line: CallNote) => void): Note {
  const startedAt = performance.now();
  return (outcome, more = {}) =>
    note({ tool: tool.name, caller, outcome, ms: Math.round(performance.now() - startedAt), ...more });
}

/** Runs a tool from validated input to a result, with its retries. Rejects as the tool does. */
export async function runTool(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  run: ToolRun,
): Promise<CallToolResult> {
  return toResult(tool, input, await runOrRetry(tool, input, run), run.maxCharacters);
}

/** The result of work, also when it fails. Rejects where there is none: the client has to answer first, or no longer waits. */
export async function settle(
  tool: Tool,
  { deadline, signal, note }: Pick<ToolRun, 'deadline' | 'signal'> & { readonly note: Note },
  work: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    const result = await work();
    note('ok');
    return result;
  } catch (error) {
    if (error instanceof InputNeeded) {
      note('asked');
      throw error;
    }
    if (error instanceof ToolFailure) {
      note('failed', { cause: error.cause });
      return toFailure(error.message, error.nextStep);
    }
    if (signal.aborted) {
      note('cancelled');
      throw error;
    }
    if (deadline.isOver) {
      note('failed');
      return toFailure(
        `${tool.name} took longer than ${toTimeout(tool) / 1000} seconds and was stopped.`,
        'Ask for less at once, or try again later.',
      );
    }
    const reference = randomUUID().slice(0, 8);
    note('error', { reference, cause: error });
    return toFailure(
      `${tool.name} failed because of a fault in the server (reference ${reference}).`,
      'Try once more. If it fails again, tell the user the reference.',
    );
  }
}

export function toFailure(problem: string, nextStep: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: `${problem} ${nextStep}` }] };
}

async function runOrRetry(
  { name, definition, outputSchema }: Tool,
  input: Readonly<Record<string, unknown>>,
  { channel, deadline, signal, steps }: ToolRun,
) {
  const { times = 0, isTransient = () => false } = definition.retries ?? {};
  for (let attempt = 0; ; attempt++) {
    try {
      const running = definition.run(input, createToolContext(channel, deadline, steps));
      const output = running instanceof Promise ? await deadline.limit(running) : running;
      const checked = await outputSchema['~standard'].validate(output);
      if (checked.issues === undefined) return checked.value;
      throw new TypeError(`the output of ${name} does not fit its schema: ${JSON.stringify(checked.issues)}`);
    } catch (error) {
      if (error instanceof InputNeeded || signal.aborted || deadline.isOver || attempt >= times || !isTransient(error))
        throw error;
      await sleep(FIRST_WAIT_MS * 2 ** attempt, undefined, { signal: deadline.signal });
    }
  }
}

function toResult(
  { definition }: Tool,
  input: Readonly<Record<string, unknown>>,
  output: Readonly<Record<string, unknown>>,
  maxCharacters: number,
): CallToolResult {
  const fitted = fitResult(output, maxCharacters);
  const text =
    input['response_format'] === 'markdown'
      ? (definition.markdown?.(fitted.output) ?? toMarkdown(fitted.output))
      : fitted.json;
  const notice = fitted.notice === undefined ? [] : [{ type: 'text' as const, text: fitted.notice }];
  return { content: [{ type: 'text', text }, ...notice], structuredContent: fitted.output };
}
