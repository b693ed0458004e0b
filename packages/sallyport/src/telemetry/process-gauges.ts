import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { UpstreamStatus } from '../core/upstream-port.ts';
import type { Family } from './metric-families.ts';

export interface GaugeSources {
  readonly inFlight: () => number;
  readonly sessions: () => number;
  readonly upstreams: () => readonly UpstreamStatus[];
  readonly spansDropped?: (() => number) | undefined;
}

export interface ProcessGauges {
  collect(): Family[];
  close(): void;
}

/** How often the event loop is looked at; finer costs wake-ups of an idle program. Milliseconds. */
const RESOLUTION_MS = 20;
const NANO = 1e-9;
const STATES: readonly UpstreamStatus['state'][] = [
  'idle',
  'connecting',
  'ready',
  'broken',
  'unauthenticated',
  'stopped',
];

/** What is read off the process and the parts when somebody asks. */
export function createProcessGauges(sources: GaugeSources): ProcessGauges {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return {
    collect: () => [...ofProcess(delay), ...ofParts(sources)],
    close: () => void delay.disable(),
  };
}

function ofProcess(delay: IntervalHistogram): Family[] {
  const { user, system } = process.cpuUsage();
  const memory = process.memoryUsage();
  const families = [
    gauge('process.memory.usage', 'By', 'Resident memory.', memory.rss),
    gauge('v8js.memory.heap.used', 'By', 'Memory of living and dead JavaScript objects.', memory.heapUsed),
    gauge(
      'nodejs.eventloop.delay.p50',
      's',
      'Delay of the event loop, median since the last look.',
      delay.percentile(50) * NANO,
    ),
    gauge('nodejs.eventloop.delay.p99', 's', 'Delay of the event loop, 99th percentile.', delay.percentile(99) * NANO),
    gauge('nodejs.eventloop.delay.max', 's', 'Longest delay of the event loop.', delay.max * NANO),
    gauge('process.uptime', 's', 'Since the start.', process.uptime()),
    { ...gauge('process.cpu.time', 's', 'CPU time used.', (user + system) / 1e6), kind: 'counter' as const },
  ];
  delay.reset();
  return families;
}

function ofParts({ inFlight, sessions, upstreams, spansDropped }: GaugeSources): Family[] {
  const all = upstreams();
  const of = (name: string, help: string, value: (one: UpstreamStatus) => number): Family => ({
    kind: 'gauge',
    name,
    unit: '1',
    help,
    points: all.map((one) => ({ labels: [['sallyport.upstream', one.name]], value: value(one) })),
  });
  return [
    gauge('sallyport.requests.in_flight', '1', 'Requests being worked on.', inFlight()),
    gauge('sallyport.sessions', '1', 'Open sessions of legacy clients.', sessions()),
    {
      kind: 'gauge',
      name: 'sallyport.upstream.state',
      unit: '1',
      help: '1 for the state an upstream is in, 0 for the others.',
      points: all.flatMap((one) =>
        STATES.map((state) => ({
          labels: [
            ['sallyport.upstream', one.name],
            ['sallyport.upstream.state', state],
          ] as const,
          value: one.state === state ? 1 : 0,
        })),
      ),
    },
    of('sallyport.upstream.connections', 'Connections to an upstream.', (one) => one.connections),
    of('sallyport.upstream.in_flight', 'Requests an upstream is working on.', (one) => one.inFlight),
    ...(spansDropped === undefined
      ? []
      : [
          {
            ...gauge('sallyport.spans.dropped', '1', 'Spans nobody took in time.', spansDropped()),
            kind: 'counter' as const,
          },
        ]),
  ];
}

function gauge(name: string, unit: string, help: string, value: number) {
  return { kind: 'gauge' as const, name, unit, help, points: [{ labels: [], value }] };
}
