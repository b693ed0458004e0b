import type { Offer } from '../../core/access.ts';
import type { Tool } from '../../core/call.ts';
import { member } from '../../core/json.ts';
import type { Principal } from '../../core/principal.ts';
import type { EntityJson } from './cedar.ts';

/** What policies see of a tool, a resource or a prompt. */
export interface Facts {
  readonly entity: EntityJson;
  /** As the scope of a policy names it: `Tool server/name`. */
  readonly id: string;
  /** As messages name it. */
  readonly title: string;
  /** Equal keys: no policy can tell the two apart. */
  readonly key: string;
  /** The same for policies that name none. */
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
    // Tags are texts: of several values the JSON text, so that a policy that forbids sees that there are some.
    tags: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
  };
}

/**
 * A tool as policies see it, with the hints that were approved: a server must not change a verdict by changing a hint.
 * Hints nobody gave are the bad ones (MCP schema, ToolAnnotations).
 */
export function toToolFacts(tool: Tool): Facts {
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
  return {
    id: `Tool ${upstream}/${name}`,
    entity: {
      uid: { type: 'Tool', id: `${upstream}/${name}` },
      attrs: { server: upstream, name, ...attrs },
      parents: [{ type: 'Server', id: upstream }],
    },
    title: `tool "${shorten(name)}"`,
    key: `${kindKey} ${digest} ${name}`,
    kindKey,
  };
}

/** Reading a resource and getting a prompt change nothing, whatever the server says of them. */
const READING = { readOnly: true, destructive: false, idempotent: true, openWorld: false, sinks: [] };

/** A resource or prompt as policies see it. */
export function toOfferFacts({ kind, upstream, id }: Offer): Facts {
  const isResource = kind === 'resource';
  const type = isResource ? 'Resource' : 'Prompt';
  const kindKey = `${kind} ${upstream}`;
  return {
    id: `${type} ${upstream}/${id}`,
    entity: {
      uid: { type, id: `${upstream}/${id}` },
      attrs: { server: upstream, name: id, ...(isResource ? { uri: id } : {}), ...READING },
      parents: [{ type: 'Server', id: upstream }],
    },
    title: `${kind} "${shorten(id)}"`,
    key: `${kindKey} ${id}`,
    kindKey,
  };
}

function shorten(name: string): string {
  return name.slice(0, 128);
}
