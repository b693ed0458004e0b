import type { Tool } from '../src/core/call.ts';
import { toDeclaration } from '../src/core/client.ts';
import { type Envelope, NOTHING } from '../src/core/envelope.ts';
import type { JsonObject } from '../src/core/json.ts';
import { KEY_HOLDER } from '../src/core/principal.ts';

let count = 0;

/** A tool as the catalogue would make it; every one has a digest of its own unless the test gives one. */
export function toTool(definition: JsonObject, given: Partial<Tool> = {}): Tool {
  const name = typeof definition['name'] === 'string' ? definition['name'] : 'echo';
  return {
    upstream: 'sample',
    name,
    publicName: `sample_${name}`,
    definition,
    digest: `digest-${count++}`,
    setAside: undefined,
    approvedHints: {},
    sinks: [],
    ...given,
  };
}

const ECHO = toTool({ name: 'echo', inputSchema: { type: 'object' } });

/** A call as the guards see it; what names a place in `given` and no tool is a message of another kind. */
export function toCall(given: Partial<Envelope> = {}): Envelope {
  const tool = 'tool' in given || (given.kind !== undefined && given.kind !== 'call') ? given.tool : ECHO;
  const { upstream = tool?.upstream ?? 'sample', target = tool?.name ?? 'echo' } = given;
  return {
    kind: 'call',
    id: 'call-1',
    client: {
      key: 'client-1',
      principal: KEY_HOLDER,
      info: { name: 'test', version: '0' },
      ...toDeclaration('modern', {}),
    },
    run: 'client-1',
    user: undefined,
    isOwnRun: false,
    plan: undefined,
    snapshot: SNAPSHOT,
    endpoint: { kind: 'all' },
    upstream,
    target,
    publicTarget: tool?.publicName ?? target,
    item: tool === undefined ? undefined : 'tool',
    body: {},
    fixed: NOTHING,
    bytes: 100,
    shown: undefined,
    notes: undefined,
    asked: undefined,
    ...given,
    tool,
  };
}

const SNAPSHOT = Object.freeze({ version: 1 });

/** The answer to a call. */
export function toResult(asked: Envelope, body: JsonObject): Envelope {
  return { ...asked, kind: 'result', body, asked };
}
