import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { atMost, type FaultMeasure, type FaultPlace } from '../faults/figure.ts';
import type { Target } from '../load/connection.ts';
import { startNode } from '../process/child.ts';
import { createKey } from '../programs/guarded.ts';
import { launchSallyport } from '../programs/sallyport.ts';
import { TEXTS, toText } from './expensive-texts.ts';
import { type Probe, startProbe } from './probe.ts';
import { type SaidKind, type Sent, sendMessage } from './send-message.ts';

const SERVER = fileURLToPath(new URL('expensive-server.js', import.meta.url));
const MB = 1_000_000;
/** Just below `gateway.limits.bodyBytes`. */
const REQUEST_BYTES = 4 * MB;
const RESULT_BYTES = 10 * MB;
const LARGEST_BYTES = 50 * MB;
const AT_ONCE = 16;
const QUIET_MS = 5_000;

/** Each text passes as an argument and as a result, and in one of these kinds in turn. */
const TURNS: readonly (SaidKind | 'prompt' | 'completion')[] = [
  ...(['structured', 'error', 'http_error', 'notification', 'contents', 'messages', 'prompt', 'completion'] as const),
];

/** Results scanned, secrets looked for and masked, taint followed, arguments looked at, the record written. */
const SECTIONS = { scan: { results: 'warn' }, secrets: {}, taint: {}, argumentSafety: {} };

interface StallRow {
  readonly table: 'stall';
  readonly text: string;
  readonly kind: string;
  readonly mb: number;
  readonly seconds: number;
  readonly outcome: string;
  readonly worstMs: number;
  readonly callP99: number;
}

/** How long anybody waits while expensive messages of others pass, everything switched on. */
export async function measureStall({ folder, progress, quick }: FaultPlace): Promise<FaultMeasure> {
  const upstream = startNode({ args: [SERVER] });
  const { port } = JSON.parse(await upstream.stdoutLine) as { port: number };
  const directory = join(folder, 'gateway');
  const options = { via: 'http', upstreamUrl: '', directory, nodeFlags: [] } as const;
  mkdirSync(directory, { recursive: true });
  const [key, other] = [await createKey(directory, 'flood'), await createKey(directory, 'other')];
  const servers = { expensive: { url: `http://127.0.0.1:${port}/mcp` } };
  const { child, target: ready } = await launchSallyport(servers, options, { key, sections: SECTIONS });
  const target = await ready;
  const probe = startProbe({ ...target, headers: { authorization: `Bearer ${other}` } });
  try {
    // Everything that is loaded for the first message is loaded.
    await sendMessage(target, { kind: 'argument', text: toText('prose', MB) });
    await sendMessage(target, { kind: 'result', name: 'prose', bytes: MB });
    await passed(QUIET_MS);
    await probe.take();
    await passed(QUIET_MS);
    const quiet = await probe.take();
    progress(`quiet: ${JSON.stringify(quiet)}`);
    const rows = await sendAll(target, probe, { quick, progress });
    const worst = Math.max(...rows.map(({ worstMs }) => worstMs));
    const p99 = Math.max(...rows.map(({ callP99 }) => callP99));
    const figures = [
      atMost('stall.worst_ms', worst, { goal: 50, unit: 'ms' }),
      atMost('stall.other_p99', p99 / quiet.callP99, { goal: 3, unit: 'times' }),
    ];
    return { figures, rows };
  } finally {
    await probe.stop();
    await Promise.all([child?.stop(), upstream.stop()]);
  }
}

interface Sending {
  readonly text: string;
  readonly mb: number;
  readonly sent: Sent;
  readonly times: number;
}

async function sendAll(
  target: Target,
  probe: Probe,
  { quick, progress }: Pick<FaultPlace, 'quick' | 'progress'>,
): Promise<readonly StallRow[]> {
  const rows: StallRow[] = [];
  for (const { text, mb, sent, times } of toSendings(quick)) {
    await probe.take();
    const startedAt = performance.now();
    const outcomes = await Promise.all(Array.from({ length: times }, () => sendMessage(target, sent)));
    const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
    const { worstMs, callP99, failed } = await probe.take();
    const kind = times === 1 ? sent.kind : `${times} ${sent.kind}`;
    const outcome = `${outcomes[0]}${failed === 0 ? '' : `, ${failed} probes failed`}`;
    const row = { table: 'stall' as const, text, kind, mb, seconds, outcome, worstMs, callP99 };
    progress(JSON.stringify(row));
    rows.push(row);
  }
  return rows;
}

function* toSendings(quick: boolean): Generator<Sending> {
  for (const [i, text] of TEXTS.entries()) {
    const kinds = ['argument', 'result', TURNS[i % TURNS.length] ?? 'structured'] as const;
    for (const kind of quick ? [kinds[i % kinds.length] ?? 'result'] : kinds)
      yield { text, times: 1, ...(isAsked(kind) ? toAsked(kind, text) : toSaid(kind, text, RESULT_BYTES)) };
  }
  yield { text: 'base64Words', times: 1, ...toSaid('result', 'base64Words', LARGEST_BYTES) };
  yield { text: 'prose', times: AT_ONCE, ...toSaid('result', 'prose', RESULT_BYTES) };
}

type AskedKind = 'argument' | 'prompt' | 'completion';

function isAsked(kind: Sent['kind']): kind is AskedKind {
  return kind === 'argument' || kind === 'prompt' || kind === 'completion';
}

function toAsked(kind: AskedKind, name: string): Pick<Sending, 'mb' | 'sent'> {
  const text = toText(name, REQUEST_BYTES);
  const written = JSON.stringify(text).length;
  // Escapes make some of them longer.
  const sent = {
    kind,
    text: text.slice(0, Math.floor((text.length * REQUEST_BYTES) / Math.max(written, Buffer.byteLength(text)))),
  };
  return { mb: REQUEST_BYTES / MB, sent };
}

function toSaid(kind: SaidKind, name: string, bytes: number): Pick<Sending, 'mb' | 'sent'> {
  return { mb: bytes / MB, sent: { kind, name, bytes } };
}
