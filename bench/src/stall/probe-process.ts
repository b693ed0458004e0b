/**
 * A process of its own, so that nothing else delays it: asks `/healthz` and makes calls of another tenant, one after the
 * other, and prints what they took since the last line on its stdin. Usage: `probe-process.js <target as JSON>`.
 */
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as passed } from 'node:timers/promises';
import type { Target } from '../load/connection.ts';
import { percentiles } from '../load/latency.ts';

/** What the probes took, in milliseconds. */
export interface Probed {
  readonly worstMs: number;
  readonly callP99: number;
  readonly calls: number;
  readonly failed: number;
}

const PAUSE_MS = 2;
const { port, path, headers } = JSON.parse(process.argv[2] ?? '') as Target;
const agent = new Agent({ keepAlive: true });
let [worstMs, failed] = [0, 0];
let times: number[] = [];
/** Whoever waits for the probe that is under way. */
let atTheEnd: (() => void) | undefined;

function ask(options: { readonly path: string; readonly method?: string; readonly headers?: object }, body?: string) {
  return new Promise<void>((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, agent, ...options, headers: { ...options.headers } },
      (response) => {
        if (response.statusCode !== 200) failed += 1;
        response.resume().on('end', resolve).on('error', reject);
      },
    );
    sent.on('error', reject).end(body);
  });
}

const CALL = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: {
    ...{ name: 'expensive_echo', arguments: { text: 'hello' } },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const MIRROR = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'expensive_echo' };
const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function repeat(probe: () => Promise<void>, note: (ms: number) => void): Promise<void> {
  for (;;) {
    const startedAt = performance.now();
    await probe().catch(() => {
      failed += 1;
    });
    note(performance.now() - startedAt);
    await passed(PAUSE_MS);
  }
}

void repeat(
  () => ask({ path: '/healthz' }),
  (ms) => {
    worstMs = Math.max(worstMs, ms);
    atTheEnd?.();
    atTheEnd = undefined;
  },
);
void repeat(
  () => ask({ path, method: 'POST', headers: { ...headers, ...TYPES, ...MIRROR } }, CALL),
  (ms) => times.push(ms),
);
const lines = createInterface({ input: process.stdin });
// What began while a message passed may be longer than the message took: the probe under way is waited for.
lines.on('line', () => {
  atTheEnd = tell;
});
lines.on('close', () => process.exit(0));

function tell(): void {
  const { p99 } = percentiles(Float64Array.from(times));
  const probed: Probed = { worstMs, callP99: p99, calls: times.length, failed };
  [worstMs, failed, times] = [0, 0, []];
  process.stdout.write(`${JSON.stringify(probed)}\n`);
}
