import type { CallOutcome } from './call-log.ts';
import { createHistogram, type Histogram } from './histogram.ts';

/** How a request of ours to an upstream ended. */
export type SentOutcome = 'ok' | 'error' | 'failed';

/** Histograms by outcome, each made when it first happens. */
type ByOutcome<O extends string> = { [outcome in O]?: Histogram };

/** Series of one tool, made once: a call finds them by two look-ups and writes into arrays. */
export interface ToolSeries {
  readonly upstream: string;
  /** Empty: calls that named no tool there is. */
  readonly tool: string;
  readonly called: ByOutcome<CallOutcome>;
  readonly sent: ByOutcome<SentOutcome>;
}

/** Series of one method other than tools/call at one upstream, or at ourselves. */
export interface MethodSeries {
  readonly method: string;
  readonly upstream: string;
  readonly byOutcome: ByOutcome<SentOutcome>;
}

export const OTHER = 'other';
const MAX_UPSTREAMS = 500;

/** Methods with series of their own: what else a client calls a method is its own invention. */
const METHODS: ReadonlySet<string> = new Set([
  ...['tools/list', 'resources/list', 'resources/templates/list', 'resources/read', 'prompts/list', 'prompts/get'],
  ...['completion/complete', 'tasks/get', 'tasks/update', 'tasks/cancel', 'tasks/result', 'server/discover'],
  ...['initialize', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'],
]);

/** Bounded by `maxTools` and one `other` per upstream: whoever varies names gets no memory for it. */
export class SeriesTable {
  readonly #maxTools: number;
  readonly #tools = new Map<string, Map<string, ToolSeries>>();
  readonly #methods = new Map<string, Map<string, MethodSeries>>();
  #count = 0;

  constructor(maxTools: number) {
    this.#maxTools = maxTools;
  }

  tool(upstream: string, tool: string): ToolSeries {
    return this.#tools.get(upstream)?.get(tool) ?? this.#addTool(upstream, tool);
  }

  method(upstream: string, method: string): MethodSeries {
    return this.#methods.get(upstream)?.get(method) ?? this.#addMethod(upstream, method);
  }

  get tools(): ToolSeries[] {
    return [...this.#tools.values()].flatMap((known) => [...known.values()]);
  }

  get methods(): MethodSeries[] {
    return [...this.#methods.values()].flatMap((known) => [...known.values()]);
  }

  #addTool(upstream: string, tool: string): ToolSeries {
    const [owner, known] = ownerIn(this.#tools, upstream);
    const name = this.#count < this.#maxTools ? tool : OTHER;
    const found = known.get(name);
    if (found !== undefined) return found;
    const series: ToolSeries = { upstream: owner, tool: name, called: {}, sent: {} };
    known.set(name, series);
    this.#count++;
    return series;
  }

  #addMethod(upstream: string, method: string): MethodSeries {
    const [owner, known] = ownerIn(this.#methods, upstream);
    const name = METHODS.has(method) ? method : OTHER;
    const found = known.get(name);
    if (found !== undefined) return found;
    const series: MethodSeries = { method: name, upstream: owner, byOutcome: {} };
    known.set(name, series);
    return series;
  }
}

function ownerIn<S>(table: Map<string, Map<string, S>>, upstream: string): [string, Map<string, S>] {
  const owner = table.has(upstream) || table.size < MAX_UPSTREAMS ? upstream : OTHER;
  const known = table.get(owner) ?? new Map<string, S>();
  table.set(owner, known);
  return [owner, known];
}

/** The histogram of an outcome. */
export function histogramOf<O extends string>(series: ByOutcome<O>, outcome: O): Histogram {
  let histogram = series[outcome];
  if (histogram === undefined) {
    histogram = createHistogram();
    series[outcome] = histogram;
  }
  return histogram;
}
