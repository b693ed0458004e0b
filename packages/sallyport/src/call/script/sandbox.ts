import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  type VmCallResult,
} from 'quickjs-emscripten-core';
import { PRELUDE } from './prelude.ts';
import type { CallAnswer, SandboxCall, SandboxStart, Turn } from './sandbox-messages.ts';

/** Compiles the interpreter, which holds no script yet. Each thread has its own. */
export function loadInterpreter(): Promise<QuickJSWASMModule> {
  return newQuickJSWASMModuleFromVariant(variant);
}

/** Far below what the interpreter's own stack holds: endless recursion is an error of the script. Bytes. */
const STACK_BYTES = 262_144;
/** Promise jobs between two looks at the clock. */
const JOBS = 1_000;
/** A script that writes one character at a time. */
const MAX_LINES = 1_000;

/** How the code before the script hands over what the host needs. */
const HANDED = ['begin', 'toText', 'toReason'] as const;

/**
 * One script in an interpreter of its own. It can compute, call the functions it was given, write to the console and
 * return; the interpreter knows no file, no network, no timer and nothing of this program. Never throws: what goes wrong
 * ends the script.
 */
export class Sandbox {
  readonly #start: SandboxStart;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #waiting = new Map<number, QuickJSDeferredPromise>();
  readonly #lines: string[] = [];
  #written = 0;
  #calls: SandboxCall[] = [];
  #lastCall = 0;
  #outcome: QuickJSHandle | undefined;
  #functions: ReadonlyMap<string, QuickJSHandle> = new Map();
  #spentMs = 0;
  #turnAt = 0;
  #isOver = false;

  constructor(interpreter: QuickJSWASMModule, start: SandboxStart) {
    this.#start = start;
    this.#runtime = interpreter.newRuntime();
    this.#runtime.setMemoryLimit(start.limits.memoryMb * 1_048_576);
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setInterruptHandler(() => this.#isLate());
    this.#context = this.#runtime.newContext();
  }

  begin(): Turn {
    return this.#turn(() => {
      this.#functions = this.#prepare();
      const { script } = this.#start;
      // In a line of its own, since the script may end in a comment.
      const main = this.#evaluate(`(async () => {"use strict"; ${script}\n})`, 'script.js');
      this.#outcome = this.#call('begin', main);
    });
  }

  answer(answers: readonly CallAnswer[]): Turn {
    return this.#turn(() => {
      for (const answer of answers) {
        const waiting = this.#waiting.get(answer.id);
        this.#waiting.delete(answer.id);
        if (waiting === undefined) continue;
        if ('result' in answer) waiting.resolve(this.#context.newString(answer.result));
        else waiting.reject(this.#context.newString(answer.failure));
      }
    });
  }

  #turn(work: () => void): Turn {
    this.#turnAt = performance.now();
    try {
      work();
      while (this.#runtime.hasPendingJob()) {
        const done = this.#runtime.executePendingJobs(JOBS);
        if (done.error !== undefined || this.#isLate()) throw new ScriptFailure(this.#explain(done.error));
      }
      return this.#stand();
    } catch (error) {
      return this.#fail(error instanceof ScriptFailure ? error.message : this.#explain(undefined));
    } finally {
      this.#spentMs += performance.now() - this.#turnAt;
      this.#calls = [];
    }
  }

  /** Where the script stands now that nothing is left to be done. */
  #stand(): Turn {
    if (this.#outcome === undefined) return this.#fail('It did not start.');
    const state = this.#context.getPromiseState(this.#outcome);
    if (state.type === 'rejected')
      return this.#fail(this.#isLate() ? this.#explain(undefined) : this.#read('toReason', state.error));
    if (state.type === 'fulfilled') {
      const text = this.#read('toText', state.value);
      this.#isOver = true;
      // The code before the script puts a sign in front: a script that returns nothing is told from an empty text.
      const result = text.startsWith('=') ? text.slice(1) : undefined;
      const { outputCharacters } = this.#start.limits;
      return this.#say({ kind: 'done', result: result?.slice(0, outputCharacters), length: result?.length ?? 0 });
    }
    if (this.#waiting.size === 0) return this.#fail('It waits for a promise that nothing settles.');
    return this.#say({ kind: 'waits' });
  }

  #say(turn: { kind: 'waits' } | Omit<Extract<Turn, { kind: 'done' }>, 'calls' | 'console'>): Turn {
    return { ...turn, calls: this.#calls, console: this.#lines.join('\n') };
  }

  #fail(reason: string): Turn {
    this.#isOver = true;
    return { kind: 'failed', reason, calls: this.#calls, console: this.#lines.join('\n') };
  }

  /** The functions of the code before the script, which get what the host offers. */
  #prepare(): ReadonlyMap<string, QuickJSHandle> {
    const context = this.#context;
    const prelude = this.#evaluate(PRELUDE, 'prelude.js');
    const call = context.newFunction('call', (tool, args) => this.#onCall(tool, args));
    const log = context.newFunction('log', (line) => this.#onLine(line));
    const names = context.newString(JSON.stringify(this.#start.tools));
    const handed = context.callFunction(prelude, context.undefined, call, log, names);
    if (handed.error !== undefined) throw new ScriptFailure(this.#explain(handed.error));
    return new Map(HANDED.map((name) => [name, context.getProp(handed.value, name)]));
  }

  #onCall(tool: QuickJSHandle, args: QuickJSHandle): VmCallResult<QuickJSHandle> | QuickJSHandle {
    const context = this.#context;
    const { calls } = this.#start.limits;
    if (this.#lastCall >= calls)
      return { error: context.newString(`A script may make ${calls} calls, and made them.`) };
    const id = ++this.#lastCall;
    const promise = context.newPromise();
    this.#waiting.set(id, promise);
    // Whatever the script passes is read as a number and a text, and judged by the gateway.
    this.#calls.push({
      id,
      tool: context.typeof(tool) === 'number' ? context.getNumber(tool) : -1,
      args: context.typeof(args) === 'string' ? context.getString(args) : '',
    });
    return promise.handle;
  }

  #onLine(line: QuickJSHandle): QuickJSHandle {
    const context = this.#context;
    const left = this.#start.limits.consoleCharacters - this.#written;
    if (left > 0 && this.#lines.length < MAX_LINES && context.typeof(line) === 'string') {
      const text = context.getString(line);
      this.#written += text.length + 1;
      this.#lines.push(text.length < left ? text : `${text.slice(0, left)} … (cut)`);
    }
    return context.undefined;
  }

  #evaluate(code: string, file: string): QuickJSHandle {
    const done = this.#context.evalCode(code, file);
    if (done.error !== undefined) throw new ScriptFailure(this.#explain(done.error));
    return done.value;
  }

  #call(name: (typeof HANDED)[number], given: QuickJSHandle): QuickJSHandle {
    const own = this.#functions.get(name);
    if (own === undefined) throw new ScriptFailure('It did not start.');
    const done = this.#context.callFunction(own, this.#context.undefined, given);
    if (done.error !== undefined) throw new ScriptFailure(this.#explain(done.error));
    return done.value;
  }

  #read(name: 'toText' | 'toReason', given: QuickJSHandle): string {
    return this.#context.getString(this.#call(name, given));
  }

  /** In the words of the interpreter, which knows nothing of this program. */
  #explain(error: QuickJSHandle | undefined): string {
    if (this.#isLate()) return `It computed for longer than ${this.#start.limits.computeMs} ms.`;
    const toReason = this.#functions.get('toReason');
    if (error === undefined) return 'The sandbox ended it, for example because it ran out of memory.';
    if (toReason === undefined) return this.#context.getString(this.#context.getProp(error, 'message')).slice(0, 500);
    const said = this.#context.callFunction(toReason, this.#context.undefined, error);
    return said.error === undefined ? this.#context.getString(said.value) : 'It failed, and so did its error.';
  }

  #isLate(): boolean {
    const spent = this.#spentMs + (performance.now() - this.#turnAt);
    return this.#isOver || spent > this.#start.limits.computeMs;
  }
}

/** Why a script ended, in words that may reach a model. */
class ScriptFailure extends Error {}
