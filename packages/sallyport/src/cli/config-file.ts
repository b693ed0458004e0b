import { existsSync, type FSWatcher, readFileSync, realpathSync, watch } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { loadSnapshot } from '../config/load-snapshot.ts';
import type { Snapshot } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
import { refusePattern } from '../guard/secrets/custom-patterns.ts';

/** Where the files of this program are looked for. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
}

const NAMES = ['sallyport.json', 'sallyport.yaml', 'sallyport.yml'];

/**
 * The configuration file: `--config`, $SALLYPORT_CONFIG, sallyport.json|yaml|yml here, then the one of the user.
 * `undefined`: there is none. A file that was named need not exist.
 */
export function findConfigFile(named: string | undefined, { env, cwd, home }: Surroundings): string | undefined {
  const given = named ?? nonEmpty(env['SALLYPORT_CONFIG']);
  if (given !== undefined) return resolve(cwd, given);
  const folders = [cwd, userConfigFolder(env, home)];
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((file) => existsSync(file));
}

/** Where a configuration is made when there is none: beside the user's other settings, not in whatever folder this is. */
export function newConfigFile({ env, home }: Surroundings): string {
  return join(userConfigFolder(env, home), 'sallyport.json');
}

function userConfigFolder(env: Surroundings['env'], home: string): string {
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'sallyport');
}

/** Key, catalogue and learned eras: $SALLYPORT_STATE, else below $XDG_STATE_HOME. Absolute. */
export function findStateDir({ env, cwd, home }: Surroundings): string {
  const named = nonEmpty(env['SALLYPORT_STATE']);
  if (named !== undefined) return resolve(cwd, named);
  return join(absolute(env['XDG_STATE_HOME']) ?? join(home, '.local', 'state'), 'sallyport');
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** The XDG specification has relative paths ignored. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** @throws FaultError `config`. */
export function readConfigText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new FaultError(
      'config',
      missing
        ? `There is no file ${file}.`
        : `The file ${file} cannot be read; check that it is a file and its permissions.`,
      { cause: error },
    );
  }
}

export interface SnapshotRequest {
  /** `undefined`: a gateway with the defaults and no servers. */
  readonly file: string | undefined;
  readonly env: Surroundings['env'];
  readonly stateDir: string;
  readonly version: number;
  readonly only?: string;
  /** What the file said when it was read last; left out: it is read now. */
  readonly text?: string;
}

/** @throws FaultError `config`. */
export function readSnapshot(request: SnapshotRequest): Snapshot {
  const text = request.text ?? (request.file === undefined ? '' : readConfigText(request.file));
  return loadSnapshot({ ...request, text, refusePattern, readText: (path) => readFileSync(path, 'utf8') });
}

/**
 * Calls back whenever the file may have changed. The folder is watched, because editors replace a file by renaming
 * another over it; for a link also the folder it leads to.
 */
export function watchFile(file: string, onChange: () => void): { close(): void } {
  const watchers: FSWatcher[] = [];
  const places = new Set([file, existsSync(file) ? realpathSync(file) : file]);
  for (const place of places) {
    const folder = dirname(place);
    if (!existsSync(folder)) continue;
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      // Kubernetes swaps the link `..data` beside the file; some platforms name nothing.
      if (name === null || name === basename(place) || name.startsWith('..')) onChange();
    });
    // The folder is gone: nothing to watch any more, and the last good snapshot stays.
    watcher.on('error', () => watcher.close());
    watchers.push(watcher);
  }
  return {
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
