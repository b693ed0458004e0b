import type { AgentTool } from './agent-tools.ts';
import { load, type Verdict } from './product.ts';
import type { Json } from './read-rows.ts';

interface Guard {
  judge(envelope: unknown): Verdict | Promise<Verdict>;
}

/** One conversation behind the product's own taint guards, with no word of an operator about any server. */
export interface GuardedRun {
  /** A call as the client makes it; the verdict of the outer door. */
  call(tool: AgentTool, given: Json): Promise<Verdict>;
  /** The result of an allowed call comes in. */
  read(server: string, name: string, text: string): Promise<void>;
}

/** A definition that the client was shown before its first call, as the product's catalogue tells of it. */
export interface ShownDefinition {
  readonly upstream: string;
  readonly what: string;
  readonly definition: Json;
  readonly hasFindings: boolean;
}

/** Under the rules of the starter set "team". */
export async function createRuns(): Promise<
  (user: string | undefined, shown?: readonly ShownDefinition[]) => GuardedRun
> {
  const resolveTaint = await load<(written: unknown, from: unknown, report: (...problem: unknown[]) => void) => Json>(
    'config/taint-section.js',
    'resolveTaint',
  );
  const taintSchema = await load<{ parse(value: unknown): Json }>('config/taint-section.js', 'taintSchema');
  const createPrinter = await load<(key: Uint8Array) => unknown>('guard/taint/fingerprints.js', 'createPrinter');
  const createTaintMemory = await load<(options: unknown) => unknown>('state/taint-memory.js', 'createTaintMemory');
  const taint = await load<(ports: unknown) => Guard>('guard/taint/taint.js', 'taint');
  const taintLabels = await load<(ports: unknown) => Guard>('guard/taint/taint.js', 'taintLabels');
  const readDefinition = await load<(definition: Json) => { readonly sinks: readonly string[] }>(
    'guard/sinks/classify-definition.js',
    'readDefinition',
  );
  const findSinks = await load<(call: unknown, settings: unknown) => readonly string[]>(
    'guard/sinks/sink-floor.js',
    'findSinks',
  );
  // The host of the bench is believed: without the user's words every effect after untrusted text asks.
  const written = taintSchema.parse({ trustedHosts: ['bench'] });
  const settings = resolveTaint(written, { set: 'team', servers: [] }, (...problem) => {
    throw new Error(JSON.stringify(problem));
  });
  const printer = createPrinter(Buffer.alloc(32, 11));
  const client = {
    key: 'bench',
    principal: { id: 'bench', kind: 'open', groups: [] },
    info: { name: 'bench', version: '1' },
    era: 'modern',
    capabilities: {},
    declared: '',
    profile: '',
  };
  return (user, all = []) => {
    const shown = { all, suspicious: all.find(({ hasFindings }) => hasFindings) };
    const memory = createTaintMemory({ now: () => 0, limits: () => settings });
    const ports = { settings: () => settings, memory, printer, sinksOf: (call: unknown) => findSinks(call, undefined) };
    const outer = taint(ports);
    const inner = taintLabels(ports);
    let count = 0;
    const toCall = (server: string, definition: Json, given: Json) => ({
      ...{ kind: 'call', id: `call-${++count}`, client, run: 'run', user, endpoint: { kind: 'all' } },
      ...{ upstream: server, target: definition['name'], publicTarget: `${server}_${String(definition['name'])}` },
      ...{ item: 'tool', body: given, fixed: {}, bytes: 0, snapshot: { version: 1 }, shown: () => shown },
      tool: {
        ...{ upstream: server, name: definition['name'], publicName: `${server}_${String(definition['name'])}` },
        ...{ definition, digest: '', setAside: undefined, approvedHints: {}, sinks: readDefinition(definition).sinks },
      },
    });
    return {
      async call({ server, definition }, given) {
        return outer.judge(toCall(server, definition, given));
      },
      async read(server, name, text) {
        const asked = toCall(server, { name, inputSchema: { type: 'object' } }, {});
        await inner.judge({ ...asked, kind: 'result', body: { content: [{ type: 'text', text }] }, asked });
      },
    };
  };
}
