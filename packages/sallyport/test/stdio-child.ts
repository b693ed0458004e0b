import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServerSettings } from '../src/config/settings.ts';
import type { FaultError } from '../src/core/errors.ts';
import type { WireSink } from '../src/upstream/wire.ts';

/** Settings of a stdio upstream that runs `test/fixtures/child-<name>.mjs` with the arguments, objects as JSON. */
export function childSettings(name: string, args: readonly unknown[] = [], own: OwnSettings = {}): ServerSettings {
  const script = fileURLToPath(new URL(`fixtures/child-${name}.mjs`, import.meta.url));
  return stdioSettings(process.execPath, [script, ...args.map(toArgument)], own);
}

interface OwnSettings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly memoryMb?: number;
}

export function stdioSettings(command: string, args: readonly string[], own: OwnSettings = {}): ServerSettings {
  return {
    name: 'subject',
    transport: { type: 'stdio', command, args, env: own.env ?? {}, cwd: own.cwd },
    prefix: undefined,
    era: 'auto',
    timeoutMs: 60_000,
    maxTimeoutMs: 600_000,
    startTimeoutMs: 30_000,
    concurrency: 64,
    sharing: 'shared',
    idleMs: 0,
    memoryMb: own.memoryMb ?? 0,
    breaker: { failures: 5, openMs: 10_000 },
    listTtlMs: 60_000,
  };
}

function toArgument(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A sink that keeps what it hears and lets a test wait for it. */
export class HearingSink implements WireSink {
  readonly messages: Buffer[] = [];
  readonly failures: { readonly id: number; readonly fault: FaultError }[] = [];
  readonly faults: FaultError[] = [];
  #wake: (() => void)[] = [];

  message(bytes: Buffer): void {
    this.messages.push(bytes);
    this.#tell();
  }

  failed(id: number, fault: FaultError): void {
    this.failures.push({ id, fault });
    this.#tell();
  }

  lost(fault: FaultError): void {
    this.faults.push(fault);
    this.#tell();
  }

  get texts(): string[] {
    return this.messages.map((message) => message.toString());
  }

  /** Waits until `done` says so; looked at after everything heard. The test's own deadline ends it. */
  async until(done: () => boolean): Promise<void> {
    while (!done()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  async lostFault(): Promise<FaultError> {
    await this.until(() => this.faults.length > 0);
    return this.faults[0]!;
  }

  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** False for a zombie, too: it runs nothing, and only its parent, here often the container's first process, can take it away. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat[stat.lastIndexOf(')') + 2] !== 'Z';
  } catch {
    return false;
  }
}
