import { FaultError, firstSentenceOf } from '../core/errors.ts';

/** Shorter than a guard may take (`guard/guard.ts`), so that a late store is named and not the guard that waited for it. */
const PATIENCE_MS = 1_500;

export interface StoreStep {
  /** "Reading what this run has read". */
  readonly step: string;
  readonly patienceMs?: number | undefined;
}

/**
 * One step with what several processes share. Late or failing means no, and says why.
 * @throws FaultError `overloaded` naming the step, the cause and the fix
 */
export async function askStore<T>({ step, patienceMs = PATIENCE_MS }: StoreStep, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(toFault(step, `the database was not done within ${patienceMs} ms, another program may hold it`)),
      patienceMs,
    );
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw error instanceof FaultError && error.message.startsWith(step) ? error : toFault(step, causeOf(error), error);
  } finally {
    clearTimeout(timer);
  }
}

/** A row that was not sealed here, for this owner, in this place. */
export function toDamaged(step: string, cause: unknown): FaultError {
  return toFault(step, 'a row in the database is damaged, or was written by somebody without the key', cause);
}

function toFault(step: string, why: string, cause?: unknown): FaultError {
  // Whether trying again does harm is known at the door that failed: after a call it would run twice.
  const fix =
    'If it goes on, the operator has to look at sallyport.db and seal-key in the state directory (docs/replicas.md).';
  return new FaultError('overloaded', `${step} failed: ${why}. ${fix}`, cause === undefined ? {} : { cause });
}

/** The texts of SQLite name tables and codes, and no values: those are bound, not written into statements. */
function causeOf(error: unknown): string {
  const text = firstSentenceOf(error instanceof Error ? error.message : String(error));
  return text.slice(0, 200).replace(/\.$/, '');
}
