import { SINK_CLASSES } from '../../core/sink.ts';
import type { ArgumentShape } from './argument-shape.ts';

/** What a tool has, a resource and a prompt have too, so that a rule about effects needs no `is Tool`. */
const TRAITS = 'readOnly: Bool, destructive: Bool, idempotent: Bool, openWorld: Bool, sinks: Set<Sink>';

/**
 * What policies may speak of, as a Cedar schema. Actions are the verbs of the protocol's methods. Arguments differ from
 * tool to tool: the schema of a policy holds those that it reads itself, each optional, so that Cedar demands a `has`
 * before every use.
 */
export function toCedarSchema(shape: ArgumentShape): string {
  return `entity Group;
entity Server;
entity Sink enum [${SINK_CLASSES.map((sink) => JSON.stringify(sink)).join(', ')}];
entity Principal in [Group] = {
  id: String, kind: String, person?: String, agent?: String, account?: String, actors: Set<String>, scopes?: Set<String>
} tags String;
entity Tool in [Server] = { server: String, name: String, ${TRAITS} };
entity Resource in [Server] = { server: String, name: String, uri: String, ${TRAITS} };
entity Prompt in [Server] = { server: String, name: String, ${TRAITS} };
type Use = {
  arguments: ${toRecordType(shape)}, labels: Set<String>, client: { name: String, version: String },
  time: { hour: Long, minute: Long, weekday: String, epochSeconds: Long, instant: datetime }
};
action use;
action list in [use] appliesTo { principal: Principal, resource: [Tool, Resource, Prompt], context: {} };
action call in [use] appliesTo { principal: Principal, resource: Tool, context: Use };
action read in [use] appliesTo { principal: Principal, resource: Resource, context: Use };
action get in [use] appliesTo { principal: Principal, resource: Prompt, context: Use };
action release in [use] appliesTo { principal: Principal, resource: [Tool, Resource, Prompt], context: Use };
`;
}

/** Of the schema; `use` stands for the others. */
export const ACTIONS = ['list', 'call', 'read', 'get', 'release'] as const;

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
