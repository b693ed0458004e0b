import type { Call, Tool } from '../src/core/call.ts';
import { toDeclaration } from '../src/core/client.ts';
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

/** A call as the guards see it. */
export function toCall(given: Partial<Call> = {}): Call {
  return {
    id: 'call-1',
    tool: toTool({ name: 'echo', inputSchema: { type: 'object' } }),
    client: {
      key: 'client-1',
      principal: KEY_HOLDER,
      info: { name: 'test', version: '0' },
      ...toDeclaration('modern', {}),
    },
    run: 'client-1',
    endpoint: { kind: 'all' },
    arguments: {},
    bytes: 100,
    snapshot: { version: 1 },
    ...given,
  };
}
