import type { ServerSettings } from '../config/settings.ts';
import { isPerPrincipal, toTokenOwner } from '../config/upstream-auth.ts';
import type { Client } from '../core/client.ts';
import type { JsonObject } from '../core/json.ts';
import type { EraRecord } from './era-store.ts';

/** What decides who may share a connection. */
export interface Knowledge {
  readonly era: EraRecord['era'];
  readonly transport: EraRecord['transport'];
  /** The server was seen asking outside of the request it asks for: its wire relates less than it could. */
  readonly strays: boolean;
}

/** While nothing is known, everybody waits for the first connection to find out. */
const UNKNOWN_KEY = 'unknown';

/**
 * Who shares which connection. Modern upstreams are stateless: one for all. Legacy ones bind capabilities to the
 * connection: one per capability profile; where a question cannot be told whose it is, a client that can be asked has
 * one of its own, so that the answer can come from no one else. Where each principal
 * has a credential of its own, no connection serves two of them: a session was opened under one.
 */
export function connectionKey(settings: ServerSettings, knowledge: Knowledge | undefined, client: Client): string {
  if (knowledge !== undefined && isOwn(settings, knowledge, client)) return `client:${client.key}`;
  const key = knowledge === undefined ? UNKNOWN_KEY : knowledge.era === 'modern' ? 'all' : `profile:${client.profile}`;
  return isPerPrincipal(settings.auth) ? `${key}~${toTokenOwner(settings.auth, client.principal)}` : key;
}

/** True when the connection serves this client alone. */
export function isOwn(settings: ServerSettings, knowledge: Knowledge, client: Client): boolean {
  if (settings.sharing === 'client') return true;
  if (knowledge.era === 'modern') return false;
  const relates = knowledge.transport === 'http' && !knowledge.strays;
  return !relates && isInteractive(client.capabilities);
}

/** True when a server could ask this client something. */
export function isInteractive(capabilities: JsonObject): boolean {
  return ['roots', 'sampling', 'elicitation', 'tasks'].some((key) => Object.hasOwn(capabilities, key));
}
