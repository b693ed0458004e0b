import type { ScriptSettings } from '../../config/scripts-section.ts';
import type { Tool } from '../../core/call.ts';
import { FaultError, toFault } from '../../core/errors.ts';
import type { Exchange, Watch } from '../../core/exchange.ts';
import { isObject, type Json, member } from '../../core/json.ts';
import { type Answer, Notification, parseMessage, Request } from '../../core/message.ts';
import { callTool } from '../call-tool.ts';
import type { Inbound } from '../inbound.ts';
import type { CallPorts } from '../ports.ts';
import { verdictOf } from '../refusal.ts';
import { InnerExchange } from './inner-exchange.ts';
import type { SandboxCall, Turn } from './sandbox-messages.ts';
import { ScriptThread } from './script-thread.ts';
import { type NamedTool, toNamedTools } from './tool-names.ts';

/** Where a script stands when its caller is answered. */
export type ScriptOutcome = ScriptRecord &
  (
    | { readonly kind: 'done'; readonly result: string | undefined; readonly length: number }
    | { readonly kind: 'failed'; readonly reason: string }
    /** It goes on when a person has answered. */
    | { readonly kind: 'paused'; readonly reasons: readonly string[]; readonly approvals: readonly string[] }
  );

export interface ScriptRecord {
  readonly console: string;
  /** Calls that were made, those that failed included. */
  readonly calls: number;
  /** Calls that the script did not wait for, and that were not made. */
  readonly dropped: number;
}

export interface ScriptStart {
  readonly ports: CallPorts;
  readonly settings: ScriptSettings;
  readonly script: string;
  readonly tools: readonly NamedTool[];
  /** Of the call that began it: every record of its calls names it. */
  readonly callId: string;
}

type Settle = (outcome: ScriptOutcome | FaultError) => void;

/**
 * One script: its thread, and the calls that it makes. Each call takes the way of every call of the same client, with its
 * rights, through all guards. Between two calls of `run` nothing of it goes on.
 */
export class ScriptRun {
  readonly #start: ScriptStart;
  readonly #thread: ScriptThread;
  readonly #queue: SandboxCall[] = [];
  readonly #running = new Set<InnerExchange>();
  /** Calls that a person has to allow, and what the refusal said. */
  readonly #held = new Map<SandboxCall, { readonly reason: string; readonly approval: string | undefined }>();
  /** Tools that were called with success or not: what they said is what the script has read. */
  readonly #called = new Map<string, Tool>();
  #calls = 0;
  #dropped = 0;
  /** Only ever more, as progress has to be. */
  #answered = 0;
  #turn: Turn | undefined;
  #inbound: Inbound | undefined;
  #settle: Settle | undefined;
  #persons = 0;
  #leftMs: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(start: ScriptStart) {
    this.#start = start;
    this.#leftMs = start.settings.timeoutMs;
    const { computeMs, memoryMb, outputCharacters, consoleCharacters, calls } = start.settings;
    this.#thread = new ScriptThread(
      {
        script: start.script,
        tools: toNamedTools(start.tools),
        limits: { computeMs, memoryMb, outputCharacters, consoleCharacters, calls },
      },
      (turn) => this.#onTurn(turn),
    );
  }

  get callId(): string {
    return this.#start.callId;
  }

  /** Whose results the script may have read. */
  get called(): readonly Tool[] {
    return [...this.#called.values()];
  }

  /**
   * Begins the script, or goes on with one that is paused, until it has ended or waits for a person.
   * @param inbound the request it runs for now
   * @throws FaultError `cancelled`, by the promise
   */
  run(inbound: Inbound): Promise<ScriptOutcome> {
    const { exchange } = inbound;
    this.#inbound = inbound;
    return new Promise<ScriptOutcome>((resolve, reject) => {
      this.#settle = (outcome) => (outcome instanceof FaultError ? reject(outcome) : resolve(outcome));
      exchange.onCancel = (reason) => this.cancel(reason);
      if (exchange.cancelled) return this.cancel('the client cancelled the request');
      this.#goOn();
      const held = [...this.#held.keys()];
      this.#held.clear();
      this.#queue.push(...held);
      this.#pump();
    }).finally(() => {
      this.#rest();
      this.#settle = undefined;
      exchange.onCancel = undefined;
    });
  }

  /** Ends the script and its calls. Idempotent. */
  cancel(reason: string): void {
    this.#end(reason);
    this.#settle?.(new FaultError('cancelled', 'The client cancelled the request.'));
  }

  /** Ends the thread. Idempotent. */
  async close(): Promise<void> {
    this.#end('the script has ended');
    this.#settle?.(new FaultError('cancelled', 'The script was ended, since Sallyport ends.'));
    await this.#thread.end();
  }

  #end(reason: string): void {
    void this.#thread.end();
    this.#queue.length = 0;
    for (const exchange of [...this.#running]) exchange.cancel(reason);
  }

  #onTurn(turn: Turn): void {
    this.#turn = turn;
    for (const call of turn.calls) this.#queue.push(call);
    if (turn.kind !== 'waits') {
      // What it did not wait for and has not left yet does not leave any more.
      this.#dropped = this.#queue.length + this.#held.size;
      this.#queue.length = 0;
      this.#held.clear();
      void this.#thread.end();
    }
    this.#pump();
  }

  #pump(): void {
    const { parallel } = this.#start.settings;
    while (this.#running.size < parallel) {
      const call = this.#queue.shift();
      if (call === undefined) break;
      void this.#make(call);
    }
    if (this.#running.size > 0 || this.#turn === undefined) return;
    const record = { console: this.#turn.console, calls: this.#calls, dropped: this.#dropped };
    if (this.#turn.kind === 'done' || this.#turn.kind === 'failed') this.#settle?.({ ...this.#turn, ...record });
    else if (this.#held.size > 0 && !this.#isComputing) this.#pause(record);
  }

  /** The thread was told something, and has not said yet what it makes of it. */
  get #isComputing(): boolean {
    return this.#thread.isBusy;
  }

  #pause(record: ScriptRecord): void {
    const held = [...this.#held.values()];
    const approvals = held.flatMap(({ approval }) => approval ?? []);
    this.#settle?.({ kind: 'paused', reasons: held.map(({ reason }) => reason), approvals, ...record });
  }

  /** One call, from the script to its answer. Never rejects. */
  async #make(call: SandboxCall): Promise<void> {
    const { id } = call;
    const inbound = this.#inbound;
    const named = this.#start.tools[call.tool];
    if (inbound === undefined || named === undefined) {
      this.#thread.answer({ id, failure: 'There is no such tool.' });
      return;
    }
    if (this.#calls >= this.#start.settings.calls) {
      this.#thread.answer({ id, failure: `A script may make ${this.#start.settings.calls} calls, and made them.` });
      return;
    }
    this.#calls++;
    const exchange = new InnerExchange(inbound.exchange, () => this.#waitForPerson());
    this.#running.add(exchange);
    try {
      const request = toRequest(call, named, inbound);
      this.#called.set(`${named.tool.upstream}\n${named.tool.name}`, named.tool);
      const answer = await callTool(this.#portsOf(), { ...inbound, request, exchange, script: this.#start.callId });
      this.#hear(call, answer);
    } catch (error) {
      this.#thread.answer({ id, failure: toFault(error).message });
    } finally {
      this.#running.delete(exchange);
      this.#tellProgress(inbound.exchange);
      this.#pump();
    }
  }

  /** Waiting for a person is no time of the script. */
  #portsOf(): CallPorts {
    const { ports } = this.#start;
    return {
      ...ports,
      // A script reads the whole of a result: it is not for the context of a model.
      largeResults: undefined,
      tokenMeter: undefined,
      desk: {
        settle: async (...asked) => {
          const goOn = this.#waitForPerson();
          try {
            return await ports.desk.settle(...asked);
          } finally {
            goOn();
          }
        },
      },
    };
  }

  #hear(call: SandboxCall, answer: Answer): void {
    const { id } = call;
    const verdict = verdictOf(answer);
    if (member(verdict, 'kind') === 'ask') {
      // It was not run, and is made again once somebody has answered.
      this.#calls--;
      const approval = member(verdict, 'approval');
      this.#held.set(call, {
        reason: String(member(verdict, 'reason')),
        approval: typeof approval === 'string' ? approval : undefined,
      });
      return;
    }
    const { outcome } = answer;
    if (outcome.kind === 'error') {
      this.#thread.answer({ id, failure: outcome.error.message });
      return;
    }
    const most = (this.#start.settings.memoryMb * 1_048_576) / RESULT_SHARE;
    const { start, end } = answer.bodySpan;
    if (end - start > most) {
      const failure = `The call ran. Its result has ${end - start} bytes, and a script can take ${most} at once.`;
      this.#thread.answer({ id, failure });
      return;
    }
    this.#thread.answer({ id, result: answer.bytes.toString('utf8', start, end) });
  }

  #tellProgress(exchange: Exchange): void {
    const token = exchange.progressToken;
    if (token === undefined || exchange.cancelled) return;
    exchange.watch = OWN;
    exchange.notify(
      Notification.of('notifications/progress', {
        progressToken: JSON.parse(token) as Json, // True: it is JSON text.
        progress: ++this.#answered,
        message: `Calls of the script: ${this.#answered}`,
      }),
    );
  }

  #waitForPerson(): () => void {
    if (this.#persons++ === 0) this.#rest();
    return () => {
      if (--this.#persons === 0) this.#goOn();
    };
  }

  #goOn(): void {
    if (this.#settle === undefined || this.#persons > 0) return;
    clearTimeout(this.#timer);
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#onLate(), this.#leftMs);
  }

  #rest(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#since));
  }

  #onLate(): void {
    this.#end('the script took too long');
    const { timeoutMs } = this.#start.settings;
    const console = this.#turn?.console ?? '';
    const reason = `It took longer than ${timeoutMs} ms, waiting for people not counted.`;
    this.#settle?.({ kind: 'failed', reason, console, calls: this.#calls, dropped: this.#held.size });
  }
}

/** A result is in the interpreter three times: as it came, as a text and as values. */
const RESULT_SHARE = 8;

/** Progress of the script is Sallyport's own. */
const OWN: Watch = {
  notification: (said) => said,
  request: async () => {},
  response: async (_method, answer) => ({ kind: 'pass', answer }),
};

/**
 * What the script passed, as a request of its client: read by the limits of every request, with the run and the user of the
 * script's own call.
 * @throws FaultError
 */
function toRequest(
  { id, args }: SandboxCall,
  { namespace, name, tool }: NamedTool,
  { request, snapshot }: Inbound,
): Request {
  const { bodyBytes, depth } = snapshot.gateway.limits;
  // Whole JSON by itself, or it could say more than the arguments.
  if (args.length <= bodyBytes && !isObject(toValue(args)))
    throw new FaultError('invalid_params', `tools.${namespace}.${name} takes one object with the arguments.`);
  const { progressToken: _, ...meta } = metaOf(request);
  const params = `"name":${JSON.stringify(tool.publicName)},"arguments":${args},"_meta":${JSON.stringify(meta)}`;
  const text = `{"jsonrpc":"2.0","id":"script-${id}","method":"tools/call","params":{${params}}}`;
  const bytes = Buffer.from(text);
  if (bytes.length > bodyBytes)
    throw new FaultError('too_large', `The arguments have ${args.length} characters, more than one request may have.`);
  const message = parseMessage(bytes, { maxDepth: depth, uniqueKeys: true });
  if (!(message instanceof Request)) throw new FaultError('invalid_params', 'The arguments are not JSON.');
  return message;
}

function toValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function metaOf({ params }: Request): Record<string, Json | undefined> {
  const meta = member(params, '_meta');
  return isObject(meta) ? { ...meta } : {};
}
