import { FaultError } from '../core/errors.ts';
import { type Answer, parseMessage, Request } from '../core/message.ts';
import type { UpstreamRequest } from '../core/upstream-port.ts';
import type { CallRecord } from './call-log.ts';
import { newTraceId, readTraceParent, setTraceParent } from './trace-context.ts';

/** A finished span; OTLP's JSON is made of it when it is sent. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: 'server' | 'client';
  /** Milliseconds since the epoch, with their fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly failed: boolean;
}

/** One tools/call that is traced. */
export interface CallSpan {
  /** Sends the request with a span of its own as the parent of what the upstream does. */
  follow(sent: UpstreamRequest, upstream: string, send: (sent: UpstreamRequest) => Promise<Answer>): Promise<Answer>;
  end(record: CallRecord): void;
}

export interface Tracer {
  /** `undefined`: this call is not traced, and its context goes on as it came. */
  begin(request: Request): CallSpan | undefined;
}

export interface TracerOptions {
  /** Takes a finished span or drops it; never waits. */
  readonly give: (span: Span) => void;
  /** Share of the calls that are traced where the client has not decided. */
  readonly sample: number;
  /** 0 to 1. */
  readonly random: () => number;
  /** Milliseconds since the epoch, with fractions. */
  readonly now: () => number;
}

/** Spans of calls: one for the call as the client sees it, below it one for what went to the upstream. */
export function createTracer(options: TracerOptions): Tracer {
  return {
    begin(request) {
      const parent = readTraceParent(request);
      if (parent === undefined ? options.random() >= options.sample : !parent.sampled) return undefined;
      return createCallSpan(options, {
        method: request.method,
        traceId: parent?.traceId ?? newTraceId(16),
        parentId: parent?.spanId,
      });
    },
  };
}

interface Origin {
  readonly method: string;
  readonly traceId: string;
  readonly parentId: string | undefined;
}

function createCallSpan({ give, now }: TracerOptions, { method, traceId, parentId }: Origin): CallSpan {
  const spanId = newTraceId(8);
  const startedAt = now();
  return {
    async follow(sent, upstream, send) {
      const childId = newTraceId(8);
      const childStart = now();
      let failure: string | undefined = 'failed';
      try {
        const answer = await send(carry(sent, traceId, childId));
        failure = answer.isResult ? undefined : String(answer.errorCode);
        return answer;
      } finally {
        give({
          traceId,
          spanId: childId,
          parentId: spanId,
          name: `${method} ${sent.target ?? ''}`,
          kind: 'client',
          startedAt: childStart,
          endedAt: now(),
          attributes: {
            ...toolAttributes(method, sent.target, upstream),
            'error.type': failure,
          },
          failed: failure !== undefined,
        });
      }
    },
    end(record) {
      const failed = record.outcome !== 'ok';
      give({
        traceId,
        spanId,
        parentId,
        name: record.tool === undefined ? method : `${method} ${record.tool}`,
        kind: 'server',
        startedAt,
        endedAt: now(),
        attributes: {
          ...toolAttributes(method, record.tool, record.upstream),
          'sallyport.call.id': record.callId,
          'sallyport.principal': record.principal,
          'sallyport.guard': record.guard,
          'error.type': failed ? record.outcome : undefined,
        },
        failed,
      });
    },
  };
}

/** Names only: what a call says and what comes back is never in a span. */
function toolAttributes(method: string, tool: string | undefined, upstream: string | undefined) {
  return {
    'mcp.method.name': method,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'sallyport.upstream': upstream,
  };
}

/**
 * With the edits applied, since the upstream's own edit of `_meta` would cover ours. Only traced calls pay the second
 * parse.
 */
function carry(sent: UpstreamRequest, traceId: string, spanId: string): UpstreamRequest {
  const { request, edits } = sent;
  const text = request.write(request.id, [...edits, setTraceParent(request, traceId, spanId)]);
  const carried = parseMessage(Buffer.from(text, 'latin1'));
  if (!(carried instanceof Request)) throw new FaultError('internal', 'An edited request is no request any more.');
  return { ...sent, request: carried, edits: [] };
}
