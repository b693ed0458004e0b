import type { Exchange } from '../core/exchange.ts';
import type { Answer } from '../core/message.ts';
import type { UpstreamPort, UpstreamRequest } from '../core/upstream-port.ts';
import type { Metrics } from './metrics.ts';

/** The upstreams with every request to them timed. `sent.target` of a tools/call is a name from the catalogue. */
export function createTimedSend(upstreams: Pick<UpstreamPort, 'send'>, metrics: Metrics): UpstreamPort['send'] {
  return async (upstream: string, sent: UpstreamRequest, exchange: Exchange): Promise<Answer> => {
    const startedAt = performance.now();
    const { method } = sent.request;
    const what = { method, upstream, tool: method === 'tools/call' ? sent.target : undefined };
    try {
      const answer = await upstreams.send(upstream, sent, exchange);
      metrics.sent(what, performance.now() - startedAt, answer.isResult ? 'ok' : 'error');
      return answer;
    } catch (error) {
      metrics.sent(what, performance.now() - startedAt, 'failed');
      throw error;
    }
  };
}
