import type { Exchange } from '../core/exchange.ts';

/**
 * The request is in flight at its upstream, which wants to hear of its end: while a person is asked, both do.
 * What is put to the client here is Sallyport's own.
 */
export async function withOwnCancel<T>(exchange: Exchange, work: (own: Exchange) => Promise<T>): Promise<T> {
  const before = exchange.onCancel;
  const own: Exchange = {
    client: exchange.client,
    logLevel: exchange.logLevel,
    progressToken: exchange.progressToken,
    unattended: exchange.unattended === true,
    onCancel: undefined,
    get cancelled() {
      return exchange.cancelled;
    },
    notify: (notification) => exchange.notify(notification),
    ask: (request, options) => exchange.ask(request, options),
    answerInputs: () => undefined,
  };
  const both = (reason: string): void => {
    before?.(reason);
    own.onCancel?.(reason);
  };
  exchange.onCancel = both;
  try {
    return await work(own);
  } finally {
    if (exchange.onCancel === both) exchange.onCancel = before;
  }
}
