import { FaultError } from '../../core/errors.ts';

/** Calls and others that wait until their records are written: one promise for all that came together. */
export interface Waiters {
  count: number;
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: FaultError): void;
}

/** Nobody waits longer for the disk. Milliseconds. */
const PATIENCE_MS = 5_000;

export function createWaiters(): Waiters {
  let settle: Pick<Waiters, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever asked may have gone meanwhile.
  promise.catch(() => undefined);
  return { count: 0, promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) };
}

/** From now on the disk has so long to answer. */
export function waitWithin(waiters: Waiters): void {
  const timer = setTimeout(() => waiters.reject(toFault('the disk does not answer')), PATIENCE_MS);
  const stop = (): void => clearTimeout(timer);
  waiters.promise.then(stop, stop);
}

export function toFault(trouble: string): FaultError {
  return new FaultError(
    'unrecorded',
    `The call was not made, because it could not be recorded: ${trouble}. A person has to repair the record. Try again later, or tell the user.`,
    { remedy: '"sallyport audit verify" says more.' },
  );
}
