import type { Offer } from '../../core/access.ts';
import type { Tool } from '../../core/call.ts';
import { type Client, toDeclaration } from '../../core/client.ts';
import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import type { PolicyDecision } from '../../core/policy-decision.ts';
import type { Principal } from '../../core/principal.ts';
import { SINK_CLASSES } from '../../core/sink.ts';
import { PolicyEngine } from '../../guard/policy/policy-engine.ts';
import { readDefinition } from '../../guard/sinks/classify-definition.ts';
import { findSinks } from '../../guard/sinks/sink-floor.ts';
import type { ControlPorts } from '../ports.ts';
import { wrong } from '../problem.ts';
import { type Schema, TEXT, TEXTS } from '../route.ts';
import { hintsOf, readKnownTools } from './known-tools.ts';
import { openPolicySet, POLICIES } from './policy-set.ts';
import { readSinks, toCall } from './recorded-use.ts';

const FLAG: Schema = { type: 'boolean' };

export const TEST_REQUEST: Schema = {
  type: 'object',
  properties: {
    policies: POLICIES,
    tool: { type: 'string', description: 'server/tool. One of tool, resource and prompt.' },
    resource: { type: 'string', description: 'server/uri' },
    prompt: { type: 'string', description: 'server/prompt' },
    principal: {
      type: 'object',
      properties: {
        id: TEXT,
        kind: { enum: ['key', 'oauth', 'mtls', 'os', 'stdio', 'open'] },
        person: TEXT,
        agent: TEXT,
        account: TEXT,
        actors: TEXTS,
        groups: TEXTS,
        scopes: TEXTS,
        attributes: { type: 'object', additionalProperties: TEXT },
      },
    },
    arguments: { type: 'object', additionalProperties: true },
    hints: {
      type: 'object',
      properties: { readOnly: FLAG, destructive: FLAG, idempotent: FLAG, openWorld: FLAG },
      description: 'Approved hints of the tool. Left out: those of its approved definition.',
    },
    sinks: {
      type: 'array',
      items: { enum: [...SINK_CLASSES] },
      description: 'Effects of the tool. Left out: those of its approved definition.',
    },
    client: { type: 'string', description: 'The name of the client program.' },
    labels: { ...TEXTS, description: 'Marks on the data of the conversation.' },
    time: { type: 'string', description: 'ISO time of the call; left out: now.' },
  },
};

export const TEST_RESULT: Schema = {
  type: 'object',
  required: ['effect', 'visible', 'reason', 'version', 'policies'],
  properties: {
    effect: { enum: ['allow', 'ask', 'deny'] },
    visible: { type: 'boolean', description: 'In the lists of this caller.' },
    reason: TEXT,
    version: TEXT,
    people: { type: 'integer', description: 'How many people an ask needs by the policies.' },
    policies: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'file', 'line', 'effect'],
        properties: { id: TEXT, file: TEXT, line: { type: 'integer' }, effect: { enum: ['permit', 'forbid'] } },
      },
    },
  },
};

/** What policies say of a call that nobody makes. @throws FaultError `usage`, `config` */
export async function testUse(ports: ControlPorts, body: Json | undefined): Promise<Json> {
  if (!isObject(body)) return wrong('The body is an object.');
  const snapshot = ports.snapshot();
  const set = await openPolicySet(member(body, 'policies'), snapshot);
  const at = readAt(body) ?? ports.clock.now();
  const labels = readTexts(body, 'labels') ?? [];
  const engine = new PolicyEngine(set.cedar, set.compiled, {
    clock: { now: () => at },
    sinksOf: (call) => findSinks(call, snapshot.sinks),
    labelsOf: () => labels,
  });
  const { visible, decision } = await judge(engine, body, ports);
  const decided = set.compiled.policies.filter(({ id }) => decision.policies.includes(id));
  return {
    effect: visible ? decision.effect : 'deny',
    visible,
    reason: decision.reason,
    version: decision.version,
    ...(decision.people === undefined ? {} : { people: decision.people }),
    policies: decided.map(({ id, file, line, effect }) => ({ id, file, line, effect })),
  };
}

async function judge(
  engine: PolicyEngine,
  body: JsonObject,
  ports: ControlPorts,
): Promise<{ readonly visible: boolean; readonly decision: PolicyDecision }> {
  const client = readClient(body);
  const given = member(body, 'arguments') ?? {};
  if (!isObject(given)) return wrong('"arguments" is an object.');
  const [kind, ...others] = KINDS.filter((one) => member(body, one) !== undefined);
  if (kind === undefined || others.length > 0) return wrong('Say one of "tool", "resource" and "prompt".');
  const { upstream, name } = readPlace(member(body, kind), kind);
  if (kind === 'tool') {
    const tool = await readTool({ upstream, name }, body, ports);
    const call = toCall('policy-test', { tool, client, given });
    return { visible: engine.maySee(client.principal, tool), decision: engine.decide('call', call) };
  }
  const offer: Offer = { kind, upstream, id: name };
  const decision = engine.decideOffer('use', { offer, client, arguments: given });
  return { visible: engine.mayReach(client.principal, offer), decision };
}

const KINDS = ['tool', 'resource', 'prompt'] as const;

function readPlace(value: Json | undefined, kind: string): { readonly upstream: string; readonly name: string } {
  const text = typeof value === 'string' ? value : '';
  const slash = text.indexOf('/');
  if (slash < 1 || slash === text.length - 1)
    wrong(
      kind === 'resource'
        ? 'Write the resource as server/uri.'
        : `Write the ${kind} as server/${kind}, by its own name at the server.`,
    );
  return { upstream: text.slice(0, slash), name: text.slice(slash + 1) };
}

async function readTool(
  { upstream, name }: { readonly upstream: string; readonly name: string },
  body: JsonObject,
  ports: ControlPorts,
): Promise<Tool> {
  const hints = readHints(member(body, 'hints'));
  const sinks = member(body, 'sinks');
  if (sinks !== undefined && (!Array.isArray(sinks) || readSinks(sinks).length !== new Set(sinks).size))
    wrong(`"sinks" is a list of ${SINK_CLASSES.join(', ')}.`);
  const known = hints !== undefined && sinks !== undefined ? undefined : await readKnownTools(ports);
  const definition = known?.get(upstream)?.get(name);
  return {
    upstream,
    name,
    publicName: name,
    definition: definition ?? {},
    digest: '',
    setAside: undefined,
    approvedHints: hints ?? hintsOf(definition),
    sinks: sinks !== undefined ? readSinks(sinks) : definition === undefined ? [] : readDefinition(definition).sinks,
  };
}

const HINTS: readonly string[] = ['readOnly', 'destructive', 'idempotent', 'openWorld'];

function readHints(value: Json | undefined): JsonObject | undefined {
  if (value === undefined) return undefined;
  const entries = isObject(value) ? Object.entries(value) : [['', 0] as const];
  return Object.fromEntries(
    entries.map(([name, held]) => {
      if (!HINTS.includes(name) || typeof held !== 'boolean')
        wrong(`"hints" holds ${HINTS.join(', ')}, each true or false.`);
      return [`${name}Hint`, held];
    }),
  );
}

function readClient(body: JsonObject): Client {
  const name = member(body, 'client') ?? '';
  if (typeof name !== 'string') return wrong('"client" is a text.');
  const principal = readPrincipal(member(body, 'principal') ?? {});
  return { key: 'policy-test', principal, info: { name, version: '' }, ...toDeclaration('modern', {}) };
}

const PRINCIPAL_KINDS: readonly Principal['kind'][] = ['key', 'oauth', 'mtls', 'os', 'stdio', 'open'];

function readPrincipal(given: Json): Principal {
  if (!isObject(given)) return wrong('"principal" is an object.');
  const kind = PRINCIPAL_KINDS.find((one) => one === (member(given, 'kind') ?? 'key'));
  if (kind === undefined) return wrong(`The kind of a principal is one of ${PRINCIPAL_KINDS.join(', ')}.`);
  const text = (name: string): string | undefined => {
    const value = member(given, name);
    return value === undefined || typeof value === 'string' ? value : wrong(`"${name}" of a principal is a text.`);
  };
  const attributes = member(given, 'attributes');
  return {
    id: text('id') ?? 'someone',
    kind,
    person: text('person'),
    agent: text('agent'),
    account: text('account'),
    actors: readTexts(given, 'actors'),
    scopes: readTexts(given, 'scopes'),
    groups: readTexts(given, 'groups') ?? [],
    attributes: isObject(attributes)
      ? Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]))
      : undefined,
  };
}

function readTexts(given: JsonObject, name: string): readonly string[] | undefined {
  const value = member(given, name);
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isList ? (value as readonly string[]) : wrong(`"${name}" is a list of texts.`);
}

function readAt(body: JsonObject): number | undefined {
  const text = member(body, 'time');
  if (text === undefined) return undefined;
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? wrong('"time" is an ISO time.') : at;
}
