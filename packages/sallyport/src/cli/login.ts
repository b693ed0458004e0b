import { execFile } from 'node:child_process';
import { openCredentials } from '../call/open-credentials.ts';
import { LOCAL_OWNER, SHARED_OWNER } from '../config/upstream-auth.ts';
import { systemClock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import { login as signIn } from '../upstream/auth/login.ts';
import { type AuthTarget, toAuthTarget } from '../upstream/auth/surroundings.ts';
import { type ApiInput, withApi } from './api.ts';
import { type Command, type Flag, type Input, isSet, textOption } from './command.ts';
import { findConfigFile, findStateDir, readSnapshot } from './config-file.ts';
import { liveServers } from './live-servers.ts';
import type { Terminal } from './terminal.ts';

export const PRINCIPAL_FLAG: Flag = {
  flags: '--principal <id>',
  meaning: 'for this caller, as the log names it (key:…, oauth:…); left out: the person at this machine',
};

export const login: Command = {
  name: 'login',
  summary: 'sign in to a server that wants it; the browser does the talking',
  words: [['<server>', 'its name in the configuration']],
  options: [PRINCIPAL_FLAG, { flags: '--no-open', meaning: 'only print the address, do not open the browser' }],
  example: 'sallyport login github',
  async run(input) {
    const { terminal, options, signal } = input;
    const { target, owner, credentials } = openTarget(input);
    try {
      const show = (url: URL) => {
        const text = `To sign in to "${target.name}" at ${url.host}, open:\n\n  ${url.href}\n\nWaiting for the answer on this machine. Ctrl-C ends it.\n`;
        terminal.stderr.write(text);
        if (!isSet(options, 'json') && options['open'] !== false && terminal.stderr.isTTY === true)
          openBrowser(url, terminal);
      };
      await noteSignIn(input, 'begun', { name: target.name, owner });
      const signed = signIn({ target, owner, ports: credentials.ports, show, signal });
      const { issuer, scopes, expiresAt, refreshToken } = await signed.catch(async (error: unknown) => {
        // That it began is recorded; what went wrong is what the person must hear.
        await noteSignIn(input, 'failed', { name: target.name, owner }).catch(() => undefined);
        throw error;
      });
      await noteSignIn(input, 'done', { name: target.name, owner });
      await wakeRunning(input, target);
      return {
        value: {
          server: target.name,
          owner,
          issuer,
          scopes: scopes === undefined ? null : [...scopes],
          expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
          renewable: refreshToken !== undefined,
        },
        text: `Signed in to "${target.name}" at ${issuer}.`,
      };
    } finally {
      await credentials.close();
    }
  },
};

/** Into the record, by the Sallyport that runs or in this process. @throws FaultError `unrecorded`. */
export async function noteSignIn(
  input: Input,
  event: ApiInput<'noteSignIn'>['body']['event'],
  { name, owner }: { readonly name: string; readonly owner: string },
): Promise<void> {
  // What Ctrl-C ended is recorded, too.
  const signal = AbortSignal.timeout(NOTE_MS);
  await withApi({ ...input, signal }, (api) => api.call('noteSignIn', { path: { name }, body: { event, owner } }));
}

/** Milliseconds. */
const NOTE_MS = 30_000;

/**
 * A gateway that is waiting for this need not wait until it asks again by itself. Others' calls are left alone; with an
 * identity provider one sign-in may be what several servers wait for.
 */
function wakeRunning(input: Input, { name, auth }: AuthTarget): Promise<void> {
  return withApi(input, async (api) => {
    for (const [server, { state }] of (await liveServers(api)) ?? [])
      if (state === 'unauthenticated' && (server === name || auth.type === 'enterprise'))
        await api.call('restartServer', { path: { name: server } });
  });
}

/** The server a command line names, with the vault its tokens are in. */
export function openTarget(input: Input): {
  readonly target: AuthTarget;
  readonly owner: string;
  readonly credentials: ReturnType<typeof openCredentials>;
} {
  const { terminal, options, words } = input;
  const [name = ''] = words;
  const file = findConfigFile(textOption(options, 'config'), terminal);
  const stateDir = findStateDir(terminal);
  const { env } = terminal;
  const snapshot = readSnapshot({ file, env, stateDir, version: 1, only: name });
  const settings = snapshot.servers.get(name);
  if (settings === undefined)
    throw new FaultError('not_found', `There is no server "${name}" in ${file ?? 'any configuration'}.`);
  const target = toAuthTarget(settings);
  const owner = target.auth.tokens === 'shared' ? SHARED_OWNER : (textOption(options, 'principal') ?? LOCAL_OWNER);
  const keyRef = () => snapshot.tokenKeyRef;
  return { target, owner, credentials: openCredentials({ stateDir, keyRef, env, clock: systemClock, log: silentLog }) };
}

const OPENERS: Readonly<Record<Terminal['platform'], readonly string[]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Without a shell: the address is a stranger's text. That nothing opened is no error, the address stands on the screen. */
function openBrowser(url: URL, { platform }: Terminal): void {
  const [program = '', ...args] = OPENERS[platform];
  execFile(program, [...args, url.href], { timeout: 10_000 }, () => {});
}
