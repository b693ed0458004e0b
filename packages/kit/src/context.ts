import {
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  type InputRequest,
  inputRequired,
  inputResponse,
  type LoggingLevel,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Deadline } from './deadline.ts';
import { fail } from './fail.ts';
import { type Fields, type OutputOf, type Schema, TARGET, toObjectSchema } from './schema.ts';

/** What the person answered to `ask`. */
export type Asked<F extends Fields> =
  | { readonly action: 'accept'; readonly content: OutputOf<F> }
  | { readonly action: 'decline' | 'cancel' };

/** What a tool can do while it runs. */
export interface ToolContext {
  /** Aborted when the client cancels, or the deadline of the tool has passed. */
  readonly signal: AbortSignal;
  /** Who calls, where the transport authenticated the caller. */
  readonly caller: string | undefined;
  /**
   * Reports progress to the client, if it asked for it. Of a task, it is the status message.
   * @param done units of work, growing
   * @param total of the same units, if known
   */
  progress(done: number, total?: number, message?: string): Promise<void>;
  /** Sends a log message, if the client wants its level. A task has nobody to send it to. */
  log(level: LoggingLevel, data: unknown): Promise<void>;
  /**
   * Asks the person a question with a form. The tool runs again from its start when the answer is there, so ask before you
   * act, or act inside `once`. Works in both eras (elicitation, SEP-1330; input requests of 2026-07-28).
   */
  ask<F extends Fields>(message: string, fields: F): Promise<Asked<F>>;
  /** Asks the client's model for a message. The same rule as for `ask` applies. */
  sample(params: CreateMessageRequestParams): Promise<CreateMessageResult>;
  /** Does a step once, however often the tool runs again. @param step its result must be JSON */
  once<T>(step: () => T | Promise<T>): Promise<T>;
}

/** Leaves the tool until the client has answered. Never reaches a caller. */
export class InputNeeded {
  readonly request: InputRequest;
  constructor(request: InputRequest) {
    this.request = request;
  }
}

/** What a tool has asked and done so far in one call; travels sealed through the client. */
export interface CallState {
  /** By their order in the tool. */
  readonly steps: readonly unknown[];
  /** Of caller, tool and arguments: the state of one call is no state of another. */
  readonly call: string;
  /** Of this question; a state that comes again is a new call for the rate limit. */
  readonly round: string;
}

/** The key under which the answer to a step comes back: the answer to one question is none to another. */
export function answerKey(step: number): string {
  return `answer${step}`;
}

export interface Steps {
  /** Those known so far; steps done in this round are added to it. */
  readonly steps: unknown[];
  /** The client's answer to a question, if it is there and belongs to it. */
  takeAnswer(key: string): unknown;
  /** Stores the steps, where they must outlive the process. */
  save?(): void;
}

/** Where a tool's words to its client go. */
export interface Channel {
  readonly caller: string | undefined;
  progress: ToolContext['progress'];
  log: ToolContext['log'];
}

/** That of a call which its client waits for. */
export function toChannel({ mcpReq, http }: ServerContext): Channel {
  const token = mcpReq._meta?.progressToken;
  return {
    caller: http?.authInfo?.clientId,
    async progress(done, total, message) {
      if (token === undefined) return;
      await mcpReq.notify({
        method: 'notifications/progress',
        params: {
          progressToken: token,
          progress: done,
          ...(total === undefined ? {} : { total }),
          ...(message === undefined ? {} : { message }),
        },
      });
    },
    log: (level, data) => mcpReq.log(level, data),
  };
}

export function createToolContext(channel: Channel, deadline: Deadline, known: Steps): ToolContext {
  const { steps } = known;
  let at = 0;

  /** @throws TypeError where the one before is not done: its result would be taken for that of another */
  function next(): number {
    if (at > steps.length) throw new TypeError('Await each ask, sample and once before the next.');
    return at++;
  }

  /** The answer to this step: known from an earlier round, in this request, or still to be asked for. */
  function answerTo(request: () => InputRequest): unknown {
    const index = next();
    if (index < steps.length) return steps[index];
    const answer = known.takeAnswer(answerKey(index));
    if (answer === undefined) throw new InputNeeded(request());
    steps.push(answer);
    return answer;
  }

  return {
    get signal() {
      return deadline.signal;
    },
    caller: channel.caller,
    progress: channel.progress,
    log: channel.log,
    async ask(message, fields) {
      const schema = toObjectSchema(fields);
      const answer = answerTo(() => inputRequired.elicit({ message, requestedSchema: toForm(schema) }));
      const view = inputResponse({ answer }, 'answer');
      if (view.kind !== 'elicit' || view.action !== 'accept')
        return { action: view.kind === 'elicit' && view.action === 'decline' ? 'decline' : 'cancel' };
      const checked = await schema['~standard'].validate(view.content ?? {});
      if (checked.issues !== undefined)
        fail(
          `The answer to "${message}" does not fit: ${checked.issues.map((issue) => issue.message).join('; ')}.`,
          'Call the tool again to ask again.',
        );
      return { action: 'accept', content: checked.value };
    },
    async sample(params) {
      const answer = answerTo(() => inputRequired.createMessage(params));
      const view = inputResponse({ answer }, 'answer');
      if (view.kind !== 'sampling') fail('The client gave no message.', 'Go on without it.');
      return view.result as CreateMessageResult;
    },
    async once(step) {
      const index = next();
      if (index < steps.length) return steps[index] as never;
      const result = await step();
      steps.push(result ?? null);
      known.save?.();
      return result;
    },
  };
}

/** A form of MCP has no `additionalProperties`; nobody can write members that are not in it. */
function toForm(schema: Schema): ElicitRequestFormParams['requestedSchema'] {
  const { additionalProperties: _, ...form } = schema['~standard'].jsonSchema.input(TARGET);
  // Fields of an object schema: what a form cannot show is refused by `elicit`.
  return form as ElicitRequestFormParams['requestedSchema'];
}
