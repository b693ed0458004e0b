import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, toDeclaration } from '../core/client.ts';
import type { Exchange } from '../core/exchange.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { Answer, type Notification, type Request } from '../core/message.ts';
import { KEY_HOLDER } from '../core/principal.ts';
import { VERSION } from '../version.ts';
import type { AskPerson } from './ask-person.ts';
import { elicit } from './elicit.ts';

export interface CliClientOptions {
  /** Set when there is a person to ask. */
  readonly ask: AskPerson | undefined;
  /** Folders shown to servers that ask for roots; none: the server is told there are no roots. */
  readonly roots: readonly string[];
}

/** The command line as a client: it declares only what it can do here and now. */
export function createCliClient({ ask, roots }: CliClientOptions): Client {
  const capabilities: JsonObject = {
    ...(ask === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    ...(roots.length === 0 ? {} : { roots: {} }),
  };
  return {
    key: 'cli',
    principal: KEY_HOLDER,
    info: { name: 'sallyport-cli', version: VERSION },
    ...toDeclaration('modern', capabilities),
  };
}

export interface CliExchangeOptions extends CliClientOptions {
  readonly client: Client;
  readonly server: string;
  readonly signal: AbortSignal;
  /** Shows a line to the person, on stderr. */
  say(text: string): void;
  /** Progress is asked for and shown. */
  readonly progress: boolean;
}

/** The way back to the command line for one request. Whoever needs a model gets a refusal: there is none here. */
export function createCliExchange(options: CliExchangeOptions): Exchange {
  const { client, server, signal, say, progress } = options;
  const exchange: Exchange = {
    client,
    logLevel: undefined,
    progressToken: progress ? '"cli"' : undefined,
    onCancel: undefined,
    get cancelled() {
      return signal.aborted;
    },
    notify(notification) {
      if (progress && notification.method === 'notifications/progress') say(describeProgress(notification));
    },
    async ask(request) {
      const result = await answer(options, request);
      return result === undefined
        ? Answer.error(request.id, -32601, `The command line does not answer ${request.method.slice(0, 64)}.`)
        : Answer.result(request.id, result);
    },
    answerInputs(inputRequests) {
      return answerAll(options, inputRequests);
    },
  };
  signal.addEventListener('abort', () => exchange.onCancel?.(`interrupted at ${server}`), { once: true });
  return exchange;
}

async function answerAll(options: CliExchangeOptions, inputRequests: JsonObject): Promise<JsonObject> {
  const responses = new Map<string, Json>();
  // One after the other: a person cannot answer two questions at once.
  for (const [key, asked] of Object.entries(inputRequests)) {
    const method = member(asked, 'method');
    const params = member(asked, 'params');
    const question = { method: typeof method === 'string' ? method : '', params: isObject(params) ? params : {} };
    responses.set(key, (await answer(options, question)) ?? { action: 'decline' });
  }
  return Object.fromEntries(responses);
}

async function answer(
  { ask, roots, server, say }: CliExchangeOptions,
  { method, params }: Pick<Request, 'method' | 'params'>,
): Promise<JsonObject | undefined> {
  if (method === 'ping') return {};
  if (method === 'roots/list') {
    return { roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) };
  }
  if (method !== 'elicitation/create') return undefined;
  if (ask === undefined) {
    say(`The server "${server}" asked a question; declined, because there is no terminal to answer it.`);
    return { action: 'decline' };
  }
  return elicit({ server, ask, say }, params);
}

function describeProgress({ params }: Notification): string {
  const progress = member(params, 'progress');
  const total = member(params, 'total');
  const message = member(params, 'message');
  const share = typeof total === 'number' ? `${String(progress)}/${total}` : String(progress);
  return `progress ${share}${typeof message === 'string' ? ` ${message}` : ''}`;
}
