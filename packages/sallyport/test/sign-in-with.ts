import { spawn } from 'node:child_process';
import { atTheEnd } from './at-the-end.ts';
import type { RunningGateway } from './running-sallyport.ts';
import { browse } from './sign-in-server.ts';

const MAIN = new URL('../bin/sallyport.js', import.meta.url).pathname;

export interface SignInOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly principal?: string;
}

/** `sallyport login <server>` beside a running gateway, with a person at the browser. */
export async function signInWith(gateway: RunningGateway, server: string, { env = {}, principal }: SignInOptions = {}) {
  const { configFile, stateDir } = gateway.process;
  const more = principal === undefined ? [] : ['--principal', principal];
  const child = spawn(process.execPath, [MAIN, 'login', server, '--json', '--config', configFile, ...more], {
    env: { ...process.env, SALLYPORT_STATE: stateDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atTheEnd(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const before = stderr;
    stderr += text;
    const address = /^ {2}(http\S+)$/m.exec(stderr)?.[1];
    if (address !== undefined && !/^ {2}(http\S+)$/m.test(before)) void browse(new URL(address));
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}
