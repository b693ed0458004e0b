import { connectUpstreams } from '../app/connect-upstreams.ts';
import type { ServerSettings } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { type Outcome, Request } from '../core/message.ts';
import type { UpstreamIdentity, UpstreamPort } from '../core/upstream-port.ts';
import { createAskPerson } from './ask-person.ts';
import { createCliClient, createCliExchange } from './cli-exchange.ts';
import type { Input } from './command.ts';
import { findStateDir } from './config-file.ts';
import { openCredentialsOf } from './open-credentials-of.ts';
import { toPlainText } from './plain-text.ts';
import { resolveTarget, rootsOf, wantsProgress } from './resolve-target.ts';

/** One server, spoken to by this command line. */
export interface Session {
  readonly server: string;
  readonly settings: ServerSettings;
  /** Connects when needed. */
  identify(): Promise<UpstreamIdentity>;
  /** The server's answer; its errors are answers too. */
  request(method: string, params: JsonObject, extras?: RequestExtras): Promise<Outcome>;
}

export interface RequestExtras {
  readonly target?: string;
  readonly paramHeaders?: Readonly<Record<string, string>> | undefined;
}

/**
 * Opens the servers a command line names, runs `work`, and ends every connection and child again, whatever happens.
 * @throws FaultError of the target, of the connection, and `cancelled` on Ctrl-C.
 */
export async function withSessions<T>(
  input: Input,
  word: string | undefined,
  work: (sessions: readonly Session[]) => Promise<T>,
): Promise<T> {
  const servers = resolveTarget(word, input);
  const credentials = openCredentialsOf(input);
  const connected = connectUpstreams(servers, {
    createCredential: credentials.create,
    stateDir: findStateDir(input.terminal),
  });
  const ask = createAskPerson(input.terminal, input.signal);
  const client = createCliClient({ ask, roots: rootsOf(input) });
  try {
    const sessions = servers.map((settings) => openSession({ settings, client, port: connected.port, input, ask }));
    return await untilInterrupted(input.signal, work(sessions));
  } finally {
    await connected.close();
    await credentials.close();
  }
}

/** The same for a command that works on one server. */
export async function withSession<T>(
  input: Input,
  word: string | undefined,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return withSessions(input, word, async (sessions) => {
    const [first, second] = sessions;
    if (first === undefined) throw new FaultError('usage', 'The file has no servers. "sallyport server add" adds one.');
    if (second === undefined) return work(first);
    const names = sessions.map(({ server }) => server).join(', ');
    throw new FaultError('usage', `The file has several servers; add "#name" to it. They are ${names}.`);
  });
}

export interface SessionParts {
  readonly settings: ServerSettings;
  readonly client: Client;
  readonly port: UpstreamPort;
  readonly input: Input;
  readonly ask: ReturnType<typeof createAskPerson>;
}

/** The session of one server of `port`, which stays its caller's to close. */
export function openSession({ settings, client, port, input, ask }: SessionParts): Session {
  const server = settings.name;
  const { terminal, signal } = input;
  const say = (text: string): void => void terminal.stderr.write(`${toPlainText(text)}\n`);
  let id = 0;
  return {
    server,
    settings,
    identify: () => port.identify(server, client),
    async request(method, params, { target, paramHeaders } = {}) {
      const exchange = createCliExchange({
        client,
        server,
        signal,
        say,
        ask,
        roots: rootsOf(input),
        progress: wantsProgress(input),
      });
      const request = Request.of(String(++id), method, params);
      const answer = await port.send(server, { request, edits: [], target, paramHeaders }, exchange);
      return answer.outcome;
    },
  };
}

/** A connection that is being made cannot be cancelled: it is left alone and closed. */
function untilInterrupted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const interrupted = (): void => reject(new FaultError('cancelled', 'Interrupted.'));
    if (signal.aborted) interrupted();
    signal.addEventListener('abort', interrupted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', interrupted));
  });
}
