import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopAll } from '../process/child.ts';
import { describeMachine } from '../process/machine.ts';
import { casesOf, type HonestRow, toFigures } from './figures.ts';
import { type Installed, installServers } from './install-servers.ts';
import { measureDrill } from './measure-drill.ts';
import { measureFiles } from './measure-files.ts';
import { measureTasks } from './measure-tasks.ts';
import { measureTools } from './measure-tools.ts';
import { printHonest } from './print-honest.ts';
import { PUBLISHED_SERVERS } from './servers.ts';

export interface HonestOptions {
  readonly json: boolean;
  /** Where servers of the npm registry are installed. */
  readonly cache: string | undefined;
  readonly only: readonly string[] | undefined;
  /** Print the cases behind this figure. */
  readonly show: string | undefined;
}

const PARTS = ['files', 'tools', 'tasks', 'drill'] as const;
type Part = (typeof PARTS)[number];

const OAUTH_CLIENT = {
  client_id: 'dummy.apps.googleusercontent.example',
  client_secret: 'dummy',
  redirect_uris: ['http://localhost:3000/oauth2callback'],
};

const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Measures what honest work feels of the protection. */
export async function runHonest({ json, cache = defaultCache(), only, show }: HonestOptions): Promise<string> {
  const unknown = only?.find((part) => !PARTS.some((one) => one === part));
  if (unknown !== undefined) throw new Error(`there is no part "${unknown}"; there are ${PARTS.join(', ')}`);
  if (show !== undefined) casesOf([], show);
  const machine = describeMachine(new Date());
  const folder = mkdtempSync(join(tmpdir(), 'honest-'));
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  try {
    const rows: HonestRow[] = [];
    for (const part of PARTS) {
      if (only !== undefined && !only.includes(part)) continue;
      const startedAt = performance.now();
      try {
        rows.push(...(await measurePart(part, { cache, folder: join(folder, part), progress })));
      } catch (error) {
        // The other parts are worth their time; the figures of this one are null.
        progress(`${part} could not be measured: ${error instanceof Error ? error.message : error}`);
        await stopAll();
      }
      progress(`${part}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
    }
    const figures = toFigures(rows);
    if (show !== undefined)
      return `${casesOf(rows, show)
        .map((row) => JSON.stringify(row))
        .join('\n')}\n`;
    return json ? `${JSON.stringify({ machine, figures, rows })}\n` : printHonest(figures, rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly cache: string;
  readonly folder: string;
  progress(line: string): void;
}

async function measurePart(part: Part, { cache, folder, progress }: Place): Promise<readonly HonestRow[]> {
  const install = async (names?: readonly string[]): Promise<readonly Installed[]> => {
    mkdirSync(folder, { recursive: true });
    // Two servers refuse to start without a file of an OAuth client.
    writeFileSync(join(folder, 'gcp-oauth.keys.json'), JSON.stringify({ installed: OAUTH_CLIENT }));
    const wanted = PUBLISHED_SERVERS.filter(({ name }) => names === undefined || names.includes(name));
    return installServers(wanted, { cache, places: { files: folder, state: folder }, progress });
  };
  switch (part) {
    case 'files': {
      const [files] = await install(['files']);
      if (files?.entry === undefined) throw new Error(`files: ${files?.reason}`);
      return measureFiles(files.entry, NODE_MODULES, folder);
    }
    case 'tools':
      return measureTools(await install(), folder, progress);
    case 'tasks':
      return measureTasks({ cache, folder, progress });
    case 'drill':
      return measureDrill(folder);
  }
}

function defaultCache(): string {
  return join(homedir(), '.cache/sallyport-bench/honest');
}
