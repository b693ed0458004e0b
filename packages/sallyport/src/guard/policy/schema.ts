import { SINK_CLASSES } from '../../core/sink.ts';
import type { ArgumentShape } from './argument-shape.ts';

/**
 * What policies may speak of, as a Cedar schema. Arguments differ from tool to tool: the schema of a policy holds those
 * that it reads itself, each optional, so that Cedar demands a `has` before every use.
 */
export function toCedarSchema(shape: ArgumentShape): string {
  return `entity Group;
entity Server;
entity Sink enum [${SINK_CLASSES.map((sink) => JSON.stringify(sink)).join(', ')}];
entity Principal in [Group] = {
  id: String, kind: String, person?: String, agent?: String, account?: String, actors: Set<String>, scopes?: Set<String>
} tags String;
entity Tool in [Server] = {
  server: String, name: String, readOnly: Bool, destructive: Bool, idempotent: Bool, openWorld: Bool, sinks: Set<Sink>
};
type Use = {
  arguments: ${toRecordType(shape)}, labels: Set<String>, client: { name: String, version: String },
  time: { hour: Long, minute: Long, weekday: String, epochSeconds: Long }
};
action use;
action discover in [use] appliesTo { principal: Principal, resource: Tool, context: {} };
action call in [use] appliesTo { principal: Principal, resource: Tool, context: Use };
action release in [use] appliesTo { principal: Principal, resource: Tool, context: Use };
`;
}

function toRecordType(shape: ArgumentShape): string {
  const members = [...shape.members].map(
    ([name, member]) =>
      `${JSON.stringify(name)}?: ${member.members.size > 0 ? toRecordType(member) : TYPES[member.type]}`,
  );
  return `{ ${members.join(', ')} }`;
}

/** An argument only asked for with `has` is given as a text, whatever it is. */
const TYPES = {
  any: 'String',
  text: 'String',
  number: 'Long',
  decimal: 'decimal',
  flag: 'Bool',
  texts: 'Set<String>',
  numbers: 'Set<Long>',
} as const;
