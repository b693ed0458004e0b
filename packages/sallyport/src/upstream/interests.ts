import type { Client } from '../core/client.ts';
import { moreVerbose } from './log-level.ts';

interface Follower {
  readonly client: Client;
  count: number;
}

/** What clients follow at one upstream beyond their requests: resources, tasks, log levels. Survives connections. */
export class Interests {
  readonly #uris = new Map<string, Map<string, Follower>>();
  readonly #tasks = new Map<string, Map<string, Follower>>();
  readonly #levels = new Map<string, { readonly client: Client; readonly level: string }>();

  followUri(uri: string, client: Client): void {
    follow(this.#uris, uri, client);
  }

  /** True when this was the client's last interest in it. */
  dropUri(uri: string, client: Client): boolean {
    return drop(this.#uris, uri, client);
  }

  followTask(taskId: string, client: Client): void {
    follow(this.#tasks, taskId, client);
  }

  dropTask(taskId: string, client: Client): boolean {
    return drop(this.#tasks, taskId, client);
  }

  setLevel(client: Client, level: string): void {
    this.#levels.set(client.key, { client, level });
  }

  /** Forgets a client. */
  release(clientKey: string): void {
    this.#levels.delete(clientKey);
    for (const table of [this.#uris, this.#tasks]) {
      for (const [thing, followers] of table) {
        followers.delete(clientKey);
        if (followers.size === 0) table.delete(thing);
      }
    }
  }

  /** Resources followed by the clients that `chosen` picks. */
  uris(chosen: (client: Client) => boolean): string[] {
    return followed(this.#uris, chosen);
  }

  tasks(chosen: (client: Client) => boolean): string[] {
    return followed(this.#tasks, chosen);
  }

  /** The most verbose level among the chosen clients. */
  level(chosen: (client: Client) => boolean): string | undefined {
    let level: string | undefined;
    for (const entry of this.#levels.values()) if (chosen(entry.client)) level = moreVerbose(level, entry.level);
    return level;
  }

  followers(): readonly Client[] {
    const clients = new Map<string, Client>();
    for (const table of [this.#uris, this.#tasks])
      for (const followers of table.values())
        for (const { client } of followers.values()) clients.set(client.key, client);
    return [...clients.values()];
  }

  /** Someone who follows a resource or a task, among the chosen. */
  follower(chosen: (client: Client) => boolean): Client | undefined {
    for (const table of [this.#uris, this.#tasks])
      for (const followers of table.values())
        for (const { client } of followers.values()) if (chosen(client)) return client;
    return undefined;
  }
}

function follow(table: Map<string, Map<string, Follower>>, thing: string, client: Client): void {
  const followers = table.get(thing) ?? new Map<string, Follower>();
  table.set(thing, followers);
  const known = followers.get(client.key);
  if (known === undefined) followers.set(client.key, { client, count: 1 });
  else known.count++;
}

function drop(table: Map<string, Map<string, Follower>>, thing: string, client: Client): boolean {
  const followers = table.get(thing);
  const known = followers?.get(client.key);
  if (followers === undefined || known === undefined) return false;
  if (--known.count > 0) return false;
  followers.delete(client.key);
  if (followers.size === 0) table.delete(thing);
  return true;
}

function followed(table: Map<string, Map<string, Follower>>, chosen: (client: Client) => boolean): string[] {
  return [...table]
    .filter(([, followers]) => [...followers.values()].some(({ client }) => chosen(client)))
    .map(([thing]) => thing);
}
