/** Looks at something again and again for all who follow it, and not at all while nobody does. */
export interface Polling<T> {
  /** Calls back with what each look found; returns how to stop. */
  follow(listener: (found: T) => void): () => void;
}

/** @param look told whether nobody followed before; what fails is looked at again the next time. */
export function createPolling<T>(look: (isFirst: boolean) => Promise<T>, everyMs: number): Polling<T> {
  const listeners = new Set<(found: T) => void>();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let isFirst = true;

  const round = async (): Promise<void> => {
    looking = true;
    try {
      const wasFirst = isFirst;
      isFirst = false;
      const found = await look(wasFirst);
      for (const listener of [...listeners]) listener(found);
    } catch {
      // A database that is busy now may be free the next time; whoever asks for the list itself hears why.
    } finally {
      looking = false;
    }
    again();
  };
  const again = (): void => {
    clearTimeout(timer);
    timer = listeners.size > 0 ? setTimeout(() => void round(), everyMs) : undefined;
  };
  return {
    follow(listener) {
      listeners.add(listener);
      if (listeners.size === 1 && !looking) void round();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        isFirst = true;
      };
    },
  };
}
