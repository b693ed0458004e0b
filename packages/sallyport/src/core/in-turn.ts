const waiting: (() => void)[] = [];

/**
 * Runs pieces of work of some milliseconds each, one in a turn of the event loop: of several large messages that come at once each
 * waits for the ones before it, and everything else goes on in between.
 */
export function inTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(next);
}

function next(): void {
  try {
    waiting[0]?.();
  } finally {
    waiting.shift();
    if (waiting.length > 0) setImmediate(next);
  }
}
