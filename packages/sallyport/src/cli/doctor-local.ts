import { accessSync, constants, existsSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Snapshot } from '../config/settings.ts';
import { toFault } from '../core/errors.ts';
import { type Isolation, probeIsolation } from '../upstream/isolation.ts';
import { VERSION } from '../version.ts';
import { type Input, textOption } from './command.ts';
import { findConfigFile, findStateDir, newConfigFile, readSnapshot } from './config-file.ts';
import { checkAudit } from './doctor-audit.ts';
import { checkPort } from './doctor-port.ts';
import { EXIT, type Finding, type Step } from './doctor-steps.ts';
import { parseDuration } from './parse-duration.ts';

const WAIT_MS = 5000;
/** package.json, "engines". */
const OLDEST_NODE: readonly [major: number, minor: number] = [20, 19];

/** What this machine brings along: each step stands for itself. */
export function toLocalSteps(input: Input): readonly Step[] {
  const { terminal, options } = input;
  const timeout = textOption(options, 'timeout');
  const waitMs = timeout === undefined ? WAIT_MS : parseDuration(timeout);
  const common = { exit: EXIT.other, deadlineMs: waitMs };
  const stateDir = findStateDir(terminal);
  const keyFile = join(stateDir, 'key');
  const read = (file: string | undefined): Snapshot =>
    readSnapshot({ file, env: terminal.env, stateDir, version: 1, only: NO_SERVER });
  return [
    { ...common, name: 'node', run: () => checkNode(process.versions.node) },
    { ...common, name: 'configuration', run: () => checkConfiguration(input) },
    { ...common, name: 'state', run: () => checkStateDir(stateDir) },
    { ...common, name: 'key', run: () => checkKey(keyFile) },
    { ...common, name: 'audit', run: () => checkAudit(input) },
    { ...common, name: 'isolation', run: async () => checkIsolation(await probeIsolation(stateDir)) },
    {
      ...common,
      name: 'port',
      run: (signal) => {
        const { gateway } = read(findConfigFile(textOption(options, 'config'), terminal));
        return checkPort({ gateway, key: readKey(keyFile), waitMs, signal });
      },
    },
  ];
}

/** No server has this name: the gateway's settings are read alone. */
const NO_SERVER = '\0';

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldMajor, oldMinor] = OLDEST_NODE;
  const detail = `Node ${version}, Sallyport ${VERSION}`;
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) return { outcome: 'ok', detail };
  return {
    outcome: 'failed',
    detail: `Node ${version} is too old.`,
    fix: `Install Node ${oldMajor}.${oldMinor} or newer (https://nodejs.org).`,
  };
}

function checkConfiguration({ terminal, options }: Input): Finding {
  const file = findConfigFile(textOption(options, 'config'), terminal);
  if (file === undefined) {
    return {
      outcome: 'warning',
      detail: 'There is no configuration yet.',
      fix: `"sallyport import" takes over the servers of other clients, "sallyport server add" adds one; both write ${newConfigFile(terminal)}.`,
    };
  }
  try {
    const { servers, notes } = readSnapshot({ file, env: terminal.env, stateDir: findStateDir(terminal), version: 1 });
    const broken = [...servers.values()].flatMap(({ name, fault }) =>
      fault === undefined ? [] : `  ${name}: ${fault}`,
    );
    const detail = `${file}: valid, ${servers.size} ${servers.size === 1 ? 'server' : 'servers'}`;
    if (broken.length > 0) {
      return {
        outcome: 'failed',
        detail: [`${detail}, of which the environment breaks ${broken.length}:`, ...broken].join('\n'),
        fix: 'Set these variables in the environment Sallyport is started from; all other servers work without them.',
      };
    }
    if (notes.length > 0) {
      return {
        outcome: 'warning',
        detail: [`${detail}, but not everything has an effect:`, ...notes.map((note) => `  ${note}`)].join('\n'),
      };
    }
    if (servers.size > 0) return { outcome: 'ok', detail };
    return { outcome: 'warning', detail, fix: '"sallyport server add" or "sallyport import" adds servers.' };
  } catch (error) {
    return {
      outcome: 'failed',
      detail: toFault(error).forPeople,
      fix: 'Correct the file; "sallyport schema" prints its JSON Schema for editors.',
    };
  }
}

function checkStateDir(stateDir: string): Finding {
  const stat = statSync(stateDir, { throwIfNoEntry: false });
  const place = stat === undefined ? nearestFolder(stateDir) : stateDir;
  if (stat !== undefined && !stat.isDirectory()) {
    return {
      outcome: 'failed',
      detail: `${stateDir} is no folder.`,
      fix: 'Move it away, or set SALLYPORT_STATE to another folder.',
    };
  }
  if (!isWritable(place)) {
    return {
      outcome: 'failed',
      detail: `This user may not write to ${place}, where key, catalogue and learned eras are kept.`,
      fix: `Give this user access to ${place}, or set SALLYPORT_STATE to another folder.`,
    };
  }
  if (stat === undefined) return { outcome: 'ok', detail: `${stateDir} will be made at the first start` };
  if (!isOpenToOthers(stat)) return { outcome: 'ok', detail: `${stateDir}: writable, closed to others` };
  return {
    outcome: 'warning',
    detail: `${stateDir} can be opened by other users of this machine (mode ${modeOf(stat)}).`,
    fix: `chmod 700 ${stateDir}`,
  };
}

function nearestFolder(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) || parent === path ? parent : nearestFolder(parent);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether servers that are started here can read what is kept in the state directory. */
export function checkIsolation(isolation: Isolation): Finding {
  if (isolation.kind === 'works')
    return { outcome: 'ok', detail: `servers do not see the state directory (${isolation.program})` };
  const detail = `Servers that Sallyport starts can read its keys and its control token: ${isolation.reason}`;
  if (isolation.kind === 'elsewhere') return { outcome: 'skipped', detail };
  return {
    outcome: 'warning',
    detail,
    fix:
      isolation.kind === 'missing'
        ? 'Install bubblewrap (apt install bubblewrap, dnf install bubblewrap), or run Sallyport as root and give servers another "user".'
        : 'Allow user namespaces for bwrap (docs/upstreams.md, "Isolation"), or run Sallyport as root and give servers another "user".',
  };
}

function checkKey(file: string): Finding {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return { outcome: 'ok', detail: 'none yet: made at the first "sallyport up"' };
  if (isOpenToOthers(stat)) {
    return {
      outcome: 'failed',
      detail: `${file} can be read by other users of this machine (mode ${modeOf(stat)}): whoever has the key may call every tool.`,
      fix: `chmod 600 ${file}; if others use this machine, delete it and start Sallyport again: a new key is made.`,
    };
  }
  const key = readKey(file);
  if (key === undefined) {
    return {
      outcome: 'failed',
      detail: `${file} cannot be read.`,
      fix: `Give it to this user (chown), or delete it: a new key is made at the next start.`,
    };
  }
  if (key === '')
    return {
      outcome: 'failed',
      detail: `${file} is empty.`,
      fix: 'Delete it and start Sallyport again: a new key is made.',
    };
  return { outcome: 'ok', detail: `${file}: readable by this user alone` };
}

function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Windows keeps access in lists, not in the mode. */
function isOpenToOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
