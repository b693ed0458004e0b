import type { Client } from '../core/client.ts';
import { type FaultError, toFault } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { Answer, Request } from '../core/message.ts';
import type { Connection } from './connection.ts';
import { Interests } from './interests.ts';
import { type ListenFilter, Listening } from './listening.ts';
import { moreVerbose } from './log-level.ts';
import { toModernDialect } from './modern.ts';

export interface FollowingOptions {
  /** Whose connection a client uses. */
  readonly keyOf: (client: Client) => string;
  readonly find: (client: Client) => Connection | undefined;
  readonly clientInfo: JsonObject;
  readonly log: Log;
}

interface Sent {
  /** Resources a legacy connection was asked to tell of. */
  readonly uris: Map<string, Promise<Answer>>;
  level: string | undefined;
  levelAnswer: Promise<Answer> | undefined;
  /** Modern connections. */
  readonly listening: Listening | undefined;
}

const DONE = Answer.result('0', {});

/**
 * What clients follow beyond their requests: resources, tasks, log levels. The upstream is asked once per connection
 * however many follow, and asked again on every new connection.
 */
export class Following {
  readonly #options: FollowingOptions;
  readonly #interests = new Interests();
  readonly #sent = new WeakMap<Connection, Sent>();

  constructor(options: FollowingOptions) {
    this.#options = options;
  }

  /** Everybody who follows something. */
  followers(): readonly Client[] {
    return this.#interests.followers();
  }

  /** A client that needs the connection with this key to exist. */
  follower(key: string): Client | undefined {
    return this.#interests.follower(this.#users(key));
  }

  /** Brings a new connection up to what is followed. Refusals are logged: the connection is good without. */
  async prepare(connection: Connection, key: string): Promise<void> {
    const { dialect } = connection;
    const listening = dialect?.era === 'modern' ? this.#createListening(connection) : undefined;
    this.#sent.set(connection, { uris: new Map(), level: undefined, levelAnswer: undefined, listening });
    if (listening !== undefined) {
      // Not waited for: a server without listening streams answers calls all the same.
      void listening.update(this.#filter(connection, key)).catch(() => {});
      return;
    }
    const users = this.#users(key);
    const level = this.#interests.level(users);
    const asked = this.#interests.uris(users).map((uri) => this.#ask(connection, uri));
    if (level !== undefined) asked.push(this.#sendLevel(connection, level));
    const results = await Promise.allSettled(asked);
    const refused = results.filter(
      (result) => result.status === 'rejected' || result.value.outcome.kind === 'error',
    ).length;
    if (refused > 0)
      this.#options.log.warn(
        { upstream: connection.settings.name, refused },
        'Not everything that was followed could be followed again',
      );
  }

  async subscribe(connection: Connection, uri: string, client: Client): Promise<Answer> {
    const listening = this.#sent.get(connection)?.listening;
    if (listening === undefined) {
      const answer = await this.#ask(connection, uri);
      if (answer.outcome.kind === 'result') this.#interests.followUri(uri, client);
      return answer;
    }
    this.#interests.followUri(uri, client);
    const agreed = await this.#listen(connection, listening, client);
    if (!(agreed instanceof Error) && agreed.resourceSubscriptions?.includes(uri)) return DONE;
    this.#interests.dropUri(uri, client);
    const reason = agreed instanceof Error ? ` ${agreed.message}` : '';
    return Answer.error(
      '0',
      -32602,
      `"${connection.settings.name}" does not tell of changes of this resource.${reason}`,
    );
  }

  async unsubscribe(uri: string, client: Client): Promise<Answer> {
    if (!this.#interests.dropUri(uri, client)) return DONE;
    const connection = this.#options.find(client);
    if (connection === undefined) return DONE;
    const sent = this.#sent.get(connection);
    if (this.#interests.uris(this.#users(this.#options.keyOf(client))).includes(uri)) return DONE;
    if (sent?.listening !== undefined) {
      void this.#listen(connection, sent.listening, client);
      return DONE;
    }
    sent?.uris.delete(uri);
    return this.#request(connection, 'resources/unsubscribe', { uri });
  }

  /** True when the upstream agreed to tell of this task. */
  async followTask(connection: Connection, taskId: string, client: Client): Promise<boolean> {
    const listening = this.#sent.get(connection)?.listening;
    if (listening === undefined) return false;
    this.#interests.followTask(taskId, client);
    const agreed = await this.#listen(connection, listening, client);
    if (!(agreed instanceof Error) && agreed.taskIds?.includes(taskId)) return true;
    this.#interests.dropTask(taskId, client);
    return false;
  }

  unfollowTask(taskId: string, client: Client): void {
    if (!this.#interests.dropTask(taskId, client)) return;
    const connection = this.#options.find(client);
    const listening = connection === undefined ? undefined : this.#sent.get(connection)?.listening;
    if (connection !== undefined && listening !== undefined) void this.#listen(connection, listening, client);
  }

  /** The level of a shared connection is the most verbose one of its clients. */
  async setLevel(connection: Connection, level: string, client: Client): Promise<Answer> {
    // A modern server is told with each request; there is nothing to set.
    if (connection.dialect?.era !== 'legacy') return DONE;
    const key = this.#options.keyOf(client);
    const others = this.#interests.level((each) => each.key !== client.key && this.#options.keyOf(each) === key);
    const effective = moreVerbose(others, level) ?? level;
    const sent = this.#sent.get(connection);
    const known = sent?.level === effective ? sent.levelAnswer : undefined;
    const answer = await (known ?? this.#sendLevel(connection, effective));
    if (answer.outcome.kind === 'result') this.#interests.setLevel(client, level);
    return answer;
  }

  /** A request wants log messages that its legacy server does not send yet; resolves when it does, `undefined`: at once. */
  raiseLevel(connection: Connection, { logLevel }: Exchange): Promise<unknown> | undefined {
    const sent = this.#sent.get(connection);
    if (logLevel === undefined || sent === undefined) return undefined;
    if (sent.level !== undefined && moreVerbose(sent.level, logLevel) === sent.level) return undefined;
    if (member(connection.dialect?.identity.capabilities, 'logging') === undefined) return undefined;
    return this.#sendLevel(connection, logLevel).catch(() => {});
  }

  release(clientKey: string, connections: readonly Connection[]): void {
    this.#interests.release(clientKey);
    for (const connection of connections) this.#tidy(connection);
  }

  /** Takes back what nobody follows any more. */
  #tidy(connection: Connection): void {
    const sent = this.#sent.get(connection);
    if (sent === undefined || !connection.usable) return;
    const wanted = this.#interests.uris((client) => this.#options.find(client) === connection);
    if (sent.listening !== undefined) {
      const tasks = this.#interests.tasks((client) => this.#options.find(client) === connection);
      void sent.listening.update(toFilter(connection, wanted, tasks)).catch(() => {});
    }
    for (const uri of [...sent.uris.keys()].filter((each) => !wanted.includes(each))) {
      sent.uris.delete(uri);
      void this.#request(connection, 'resources/unsubscribe', { uri }).catch(() => {});
    }
  }

  #users(key: string): (client: Client) => boolean {
    return (client) => this.#options.keyOf(client) === key;
  }

  #ask(connection: Connection, uri: string): Promise<Answer> {
    const uris = this.#sent.get(connection)?.uris;
    const running = uris?.get(uri);
    if (running !== undefined) return running;
    const asked = this.#request(connection, 'resources/subscribe', { uri });
    uris?.set(uri, asked);
    const forget = () => uris?.delete(uri);
    asked.then((answer) => answer.outcome.kind === 'error' && forget(), forget);
    return asked;
  }

  #sendLevel(connection: Connection, level: string): Promise<Answer> {
    const asked = this.#request(connection, 'logging/setLevel', { level });
    const sent = this.#sent.get(connection);
    if (sent === undefined) return asked;
    const before = { level: sent.level, levelAnswer: sent.levelAnswer };
    sent.level = level;
    sent.levelAnswer = asked;
    const undo = () => {
      if (sent.levelAnswer === asked) Object.assign(sent, before);
    };
    asked.then((answer) => answer.outcome.kind === 'error' && undo(), undo);
    return asked;
  }

  #request(connection: Connection, method: string, params: JsonObject): Promise<Answer> {
    const write = (id: number) => ({ id, text: Request.of(String(id), method, params).bytes.toString('latin1') });
    const { startTimeoutMs } = connection.settings;
    return connection.request(method, write, { timing: { timeoutMs: startTimeoutMs, maxTimeoutMs: startTimeoutMs } });
  }

  // Modern connections

  #createListening(connection: Connection): Listening {
    const listening = new Listening({ connection, clientInfo: this.#options.clientInfo, log: this.#options.log });
    const { dialect } = connection;
    if (dialect !== undefined)
      connection.dialect = {
        ...toModernDialect(dialect.identity),
        notice: (notification) => listening.notice(notification),
      };
    return listening;
  }

  #listen(connection: Connection, listening: Listening, client: Client): Promise<ListenFilter | FaultError> {
    return listening
      .update(this.#filter(connection, this.#options.keyOf(client)))
      .catch((error: unknown) => toFault(error));
  }

  #filter(connection: Connection, key: string): ListenFilter {
    const users = this.#users(key);
    return toFilter(connection, this.#interests.uris(users), this.#interests.tasks(users));
  }
}

function toFilter(connection: Connection, uris: readonly string[], tasks: readonly string[]): ListenFilter {
  const capabilities = connection.dialect?.identity.capabilities;
  const changes = (list: string) => {
    const capability = member(capabilities, list);
    return isObject(capability) && member(capability, 'listChanged') === true;
  };
  return {
    ...(changes('tools') ? { toolsListChanged: true } : {}),
    ...(changes('prompts') ? { promptsListChanged: true } : {}),
    ...(changes('resources') ? { resourcesListChanged: true } : {}),
    ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    ...(tasks.length > 0 ? { taskIds: tasks } : {}),
  };
}
