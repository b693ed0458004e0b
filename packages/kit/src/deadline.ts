/** When a call ends at the latest: by its client, or by the clock. */
export interface Deadline {
  /** Made when somebody asks for it: most tools do not, and a signal costs as much as a short tool. */
  readonly signal: AbortSignal;
  readonly isOver: boolean;
  /** Settles as the work does, or rejects when the deadline has passed: a tool that ignores its signal keeps nobody waiting. */
  limit<T>(work: Promise<T>): Promise<T>;
  /** The call has ended. */
  close(): void;
}

/** @param client aborted when the client cancels */
export function createDeadline(client: AbortSignal, ms: number): Deadline {
  let controller: AbortController | undefined;
  let refuse: ((reason: unknown) => void) | undefined;
  let isOver = false;
  const end = (reason: unknown) => {
    controller?.abort(reason);
    refuse?.(reason);
  };
  const cancel = () => end(client.reason);
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      isOver = true;
      end(new DOMException(`took longer than ${ms} ms`, 'TimeoutError'));
    }, ms);
    client.addEventListener('abort', cancel, { once: true });
  };
  return {
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (client.aborted) controller.abort(client.reason);
        start();
      }
      return controller.signal;
    },
    get isOver() {
      return isOver;
    },
    limit(work) {
      start();
      return new Promise((resolve, reject) => {
        refuse = reject;
        if (client.aborted) reject(client.reason);
        work.then(resolve, reject);
      });
    },
    close() {
      if (timer === undefined) return;
      clearTimeout(timer);
      client.removeEventListener('abort', cancel);
    },
  };
}
