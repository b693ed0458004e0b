import { readFileSync } from 'node:fs';
import type { PolicyFile } from '../config/policy-section.ts';
import type { Snapshot } from '../config/settings.ts';
import { watchFile } from './config-file.ts';

interface Watch {
  close(): void;
}

/** The policy files of a configuration: their changes count as changes of the configuration. */
export interface PolicyFilesWatch {
  /** From here on the files of this snapshot count, read as it read them. */
  follow(snapshot: Snapshot): void;
  /** Does one of them say something else than when it was read? Yes for one that cannot be read. */
  haveChanged(): boolean;
  watch(onChange: () => void): Watch;
}

export function watchPolicyFiles(first: Snapshot): PolicyFilesWatch {
  let files = filesOf(first);
  let watches: readonly Watch[] = [];
  let onChange: (() => void) | undefined;
  const start = (): void => {
    const listener = onChange;
    for (const watch of watches) watch.close();
    watches = listener === undefined ? [] : files.map(({ path }) => watchFile(path, listener));
  };
  return {
    follow(snapshot) {
      files = filesOf(snapshot);
      start();
    },
    haveChanged: () => files.some(({ path, text }) => read(path) !== text),
    watch(listener) {
      onChange = listener;
      start();
      return {
        close() {
          onChange = undefined;
          start();
        },
      };
    },
  };
}

export function joinWatches(watches: readonly Watch[]): Watch {
  return {
    close() {
      for (const watch of watches) watch.close();
    },
  };
}

function filesOf({ policy }: Snapshot): readonly PolicyFile[] {
  return policy === undefined ? [] : [...policy.files, ...(policy.shadow ?? [])];
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
