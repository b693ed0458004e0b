import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { within } from './raw-client.ts';

const root = new URL('../../../../', import.meta.url);
export const sallyport = fileURLToPath(new URL('packages/sallyport/bin/sallyport.js', root));
export const conformanceServer = fileURLToPath(new URL('servers/conformance-mcp-server/dist/main.js', root));

/** What a running program says on its first line. */
export interface Running {
  readonly facts: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** A directory of its own for configuration and state, removed by `remove`. */
export function createScratch(config: unknown): { config: string; env: NodeJS.ProcessEnv; remove(): void } {
  const home = mkdtempSync(join(tmpdir(), 'sallyport-test-'));
  const file = join(home, 'sallyport.json');
  writeFileSync(file, JSON.stringify(config));
  return {
    config: file,
    env: { ...process.env, SALLYPORT_STATE: join(home, 'state') },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Starts a program that prints one JSON line when it is ready. */
export async function start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Running> {
  const [program = ''] = args;
  if (!existsSync(program)) throw new Error(`${program} is missing: build first, npx tsc -b`);
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-4_000);
  });
  const line = await within(firstLine(child), () => `${program} is not up: ${said}`).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    facts: withKey(JSON.parse(line) as Record<string, unknown>),
    async stop() {
      const ended = new Promise((resolve) => child.once('close', resolve));
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await within(ended, () => `${program} does not end: ${said}`).finally(() => child.kill('SIGKILL'));
    },
  };
}

/** Sallyport says in which file its key is, not the key. */
function withKey(facts: Record<string, unknown>): Record<string, unknown> {
  const { keyFile } = facts;
  return typeof keyFile === 'string' ? { ...facts, key: readFileSync(keyFile, 'utf8').trim() } : facts;
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('close', (code) => reject(new Error(`exit code ${code}`)));
  });
}
