import { copyFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadLaptopKey } from '../app/laptop-key.ts';
import type { ClientFile } from '../config/client-files.ts';
import type { MergeStep } from '../config/merge-servers.ts';
import type { FoundServer } from '../config/read-client-file.ts';
import { describeKeyOf, type Reach, rewireClient } from '../config/rewire-client.ts';
import type { JsonObject } from '../core/json.ts';
import { writeFileAtomically } from '../storage/write-file.ts';
import { findStateDir, readConfigText } from './config-file.ts';
import { readOrigin } from './running-gateway.ts';
import type { Terminal } from './terminal.ts';

/** A client's file whose servers Sallyport serves now. */
export interface Rewirable {
  readonly file: ClientFile;
  readonly taken: readonly FoundServer[];
}

/** The files with servers that were taken over, each with those; what was refused stays with its client. */
export function findRewirable(found: readonly FoundServer[], steps: readonly MergeStep[]): readonly Rewirable[] {
  const byPath = new Map<string, { file: ClientFile; taken: FoundServer[] }>();
  found.forEach((server, index) => {
    if (steps[index]?.action === 'refused') return;
    const { path } = server.from;
    const known = byPath.get(path) ?? { file: server.from, taken: [] };
    known.taken.push(server);
    byPath.set(path, known);
  });
  // The project of a server that Claude Code keeps in the user's file is not the project of the file.
  return [...byPath.values()].map(({ file, taken }) => {
    const isOwn = taken.some(({ place }) => place[0] === 'projects');
    return { file: isOwn ? { ...file, project: undefined } : file, taken };
  });
}

export interface Rewired {
  readonly file: string;
  /** The file as it was. */
  readonly copy: string;
  /** What is left to do for its key. */
  readonly key: string | undefined;
}

/** Replaces the servers of clients by Sallyport. Each file is copied beside itself first. */
export async function rewireClients(
  rewirable: readonly Rewirable[],
  { terminal, port, isOpen, configFile }: { terminal: Terminal; port: number; isOpen: boolean; configFile: string },
): Promise<readonly Rewired[]> {
  const stateDir = findStateDir(terminal);
  const reach: Reach = {
    url: `${readOrigin(stateDir) ?? `http://127.0.0.1:${port}`}/mcp`,
    key: isOpen ? undefined : await loadLaptopKey(stateDir),
    stdio: toStdio(terminal, configFile),
  };
  return rewirable.map(({ file, taken }) => {
    const text = readConfigText(file.path);
    const changed = rewireClient(text, file, { taken, reach });
    const copy = freeCopy(file.path);
    copyFileSync(file.path, copy);
    writeFileAtomically(file.path, changed);
    return { file: file.path, copy, key: describeKeyOf(file, reach) };
  });
}

/** This very program: what is on PATH for a shell is not for a client that is started from a desktop. */
function toStdio({ env }: Terminal, configFile: string): Reach['stdio'] {
  const state = env['SALLYPORT_STATE'];
  const kept: JsonObject = state === undefined || state === '' ? {} : { SALLYPORT_STATE: state };
  return {
    command: process.execPath,
    args: [findProgram(), 'stdio', '--config', configFile],
    env: kept,
  };
}

/** `bin/sallyport.js` of the package this file is in, bundled or not. */
function findProgram(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const program = join(folder, 'bin', 'sallyport.js');
    if (existsSync(program) || folder === dirname(folder)) return program;
  }
}

function freeCopy(file: string): string {
  for (let number = 1; ; number++) {
    const copy = `${file}.before-sallyport${number === 1 ? '' : `-${number}`}`;
    if (!existsSync(copy)) return copy;
  }
}
