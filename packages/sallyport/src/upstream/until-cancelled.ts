import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Lease } from './pool.ts';

export function toCancelled(): FaultError {
  return new FaultError('cancelled', 'The client cancelled the request.');
}

/** Others may wait for the same connection: the client that leaves stops waiting, the attempt goes on. */
export function untilCancelled(leasing: Promise<Lease>, exchange: Exchange): Promise<Lease> {
  return new Promise((resolve, reject) => {
    let left = exchange.cancelled;
    if (left) reject(toCancelled());
    else
      exchange.onCancel = () => {
        left = true;
        reject(toCancelled());
      };
    leasing.then(
      (lease) => {
        exchange.onCancel = undefined;
        if (left) lease.done();
        else resolve(lease);
      },
      (error: unknown) => {
        exchange.onCancel = undefined;
        reject(error);
      },
    );
  });
}
