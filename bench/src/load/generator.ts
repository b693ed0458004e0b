/** A process: the load generator. Takes orders from the bench by IPC, one after the other. */
import type { Caller } from './caller.ts';
import { openIdleSessions } from './idle-sessions.ts';
import { openCaller } from './open-caller.ts';
import type { Numbered, Order, Outcome } from './protocol.ts';
import { runWindow, type WindowResult } from './run-window.ts';

const callers = new Map<string, readonly Caller[]>();
const sessions = new Map<string, { close(): Promise<void> }>();

async function carryOut(order: Order): Promise<WindowResult | undefined> {
  switch (order.do) {
    case 'open':
      callers.set(order.key, await openCallers(order));
      return undefined;
    case 'run':
      return runWindow((callers.get(order.key) ?? []).slice(0, order.callers), order.tool, order.ms);
    case 'sessions':
      sessions.set(order.key, await openIdleSessions(order.target, order.count));
      return undefined;
    case 'close':
      await Promise.all((callers.get(order.key) ?? []).map((caller) => caller.close()));
      await sessions.get(order.key)?.close();
      callers.delete(order.key);
      sessions.delete(order.key);
      return undefined;
  }
}

async function openCallers(order: Extract<Order, { do: 'open' }>): Promise<readonly Caller[]> {
  const opened = await Promise.allSettled(
    Array.from({ length: order.callers }, () => openCaller(order.target, order.era)),
  );
  const usable = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = opened.find((one) => one.status === 'rejected');
  const first = usable[0];
  if (failed !== undefined || first === undefined) {
    await Promise.all(usable.map((caller) => caller.close()));
    throw failed?.reason ?? new Error('no callers');
  }
  await first.check('echo');
  await first.check('big');
  return usable;
}

process.on('message', (message: Numbered) => {
  const { number, order } = message;
  carryOut(order).then(
    (result) => process.send?.({ number, result } satisfies Outcome),
    (error: unknown) =>
      process.send?.({ number, error: error instanceof Error ? error.message : String(error) } satisfies Outcome),
  );
});
process.on('disconnect', () => process.exit(0));
