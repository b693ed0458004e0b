import type { Tool } from '../../core/call.ts';
import { member } from '../../core/json.ts';
import type { Principal } from '../../core/principal.ts';
import type { EntityJson } from './cedar.ts';

export interface ToolFacts {
  /** As policies name it: `server/name`. */
  readonly id: string;
  readonly entity: EntityJson;
  /** Equal keys: no policy can tell the tools apart. */
  readonly key: string;
  /** The same for policies that name no tool. */
  readonly kindKey: string;
}

/** A caller as policies see it: groups are parents, what binds arguments are tags. */
export function toPrincipalEntity(principal: Principal): EntityJson {
  const { id, kind, person, agent, account, actors = [], scopes, attributes = {} } = principal;
  return {
    uid: { type: 'Principal', id },
    attrs: {
      id,
      kind,
      actors: [...actors],
      ...(person === undefined ? {} : { person }),
      ...(agent === undefined ? {} : { agent }),
      ...(account === undefined ? {} : { account }),
      ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    },
    parents: principal.groups.map((group) => ({ type: 'Group', id: group })),
    tags: { ...attributes },
  };
}

/**
 * A tool as policies see it, with the hints that were approved: a server must not change a verdict by changing a hint.
 * Hints nobody gave are the bad ones (MCP schema, ToolAnnotations).
 */
export function toToolFacts(tool: Tool): ToolFacts {
  const { upstream, name, digest, sinks, approvedHints } = tool;
  const is = (hint: string, otherwise: boolean): boolean => {
    const value = member(approvedHints, hint);
    return typeof value === 'boolean' ? value : otherwise;
  };
  const attrs = {
    readOnly: is('readOnlyHint', false),
    destructive: is('destructiveHint', true),
    idempotent: is('idempotentHint', false),
    openWorld: is('openWorldHint', true),
    sinks: [...sinks].sort().map((sink) => ({ __entity: { type: 'Sink', id: sink } })),
  };
  const kindKey = JSON.stringify([upstream, Object.values(attrs)]);
  const id = `${upstream}/${name}`;
  return {
    id,
    entity: {
      uid: { type: 'Tool', id },
      attrs: { server: upstream, name, ...attrs },
      parents: [{ type: 'Server', id: upstream }],
    },
    key: `${kindKey} ${digest} ${name}`,
    kindKey,
  };
}
