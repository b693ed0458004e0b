import type { ServerSettings } from '../config/settings.ts';
import { isPerPrincipal, toTokenOwner } from '../config/upstream-auth.ts';
import type { Client } from '../core/client.ts';
import type { JsonObject } from '../core/json.ts';
import type { Knowledge, Unknown } from './learned-eras.ts';

/**
 * Who shares which connection. Modern upstreams are stateless: one for all. Legacy ones bind capabilities to the
 * connection: one per capability profile; where a question cannot be told whose it is, a client that can be asked has
 * one of its own, so that the answer can come from no one else. Where each principal
 * has a credential of its own, no connection serves two of them: a session was opened under one. A server of both eras
 * has the one connection for modern clients beside those of legacy clients.
 */
export function connectionKey(settings: ServerSettings, knowledge: Knowledge | Unknown, client: Client): string {
  if (typeof knowledge !== 'string' && isOwn(settings, knowledge, client)) return `client:${client.key}`;
  const key =
    typeof knowledge === 'string' ? knowledge : knowledge.era === 'modern' ? 'all' : `profile:${client.declared}`;
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
