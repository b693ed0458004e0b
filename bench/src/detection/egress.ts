import type { Judged } from './judged.ts';
import { load, type ScanDefinition, type Verdict } from './product.ts';
import { type DataRow, isJson, type Json, toText } from './read-rows.ts';

/**
 * Payloads that carry data out or bring an attack in, put through the doors of the product as the starter set "team" has
 * them: a call through the guards of arguments, a result through the guards of results, a definition through its scan. A
 * request of another protocol (HTTP, WebSocket, A2A) is what a tool for it would be called with. Contained: some door asked a
 * person, denied, masked or withheld, put a warning before a result, or quarantined the definition. An allowed case is stopped by
 * the same but for the warning, which leaves the whole result to the model.
 */
export async function judgeEgress(rows: readonly DataRow[]): Promise<readonly Judged[]> {
  const doors = await openDoors();
  const judged: Judged[] = [];
  for (const row of rows) {
    const payload = row.object('payload') ?? {};
    const isAllowed = row.is('label', 'benign');
    const said: string[] = [];
    for (const step of toSteps(payload)) said.push(...(await judgeStep(doors, step, isAllowed)));
    const { id, source } = row;
    judged.push({ id, source, group: row.text('category'), hit: said.length > 0, note: said.join('; ') });
  }
  return judged;
}

/** One thing that reaches a door. */
type Step =
  | { readonly kind: 'call'; readonly tool: string; readonly arguments: Json }
  | { readonly kind: 'result'; readonly result: Json }
  | { readonly kind: 'definition'; readonly definition: Json };

function toSteps(payload: Json): readonly Step[] {
  const messages = payload['jsonrpc_messages'];
  if (Array.isArray(messages)) return messages.filter(isJson).flatMap(toMessageSteps);
  if (payload['response_body'] !== undefined)
    return [{ kind: 'result', result: { content: [{ type: 'text', text: toText(payload['response_body']) }] } }];
  const { frames } = payload;
  if (Array.isArray(frames)) {
    const texts = frames.map((frame) => (isJson(frame) ? toText(frame['payload']) : ''));
    return [{ kind: 'call', tool: 'send_message', arguments: { url: payload['url'], messages: texts } }];
  }
  return [{ kind: 'call', tool: 'fetch', arguments: payload }];
}

function toMessageSteps({ method, params, result }: Json): readonly Step[] {
  if (isJson(result)) {
    const { tools } = result;
    if (Array.isArray(tools))
      return tools.filter(isJson).map((definition): Step => ({ kind: 'definition', definition }));
    // An answer of another protocol is what a tool for it would hand on.
    const isOfTool = Array.isArray(result['content']);
    return [
      { kind: 'result', result: isOfTool ? result : { content: [{ type: 'text', text: JSON.stringify(result) }] } },
    ];
  }
  if (!isJson(params)) return [];
  if (method === 'tools/call') {
    const given = params['arguments'];
    return [{ kind: 'call', tool: toText(params['name']), arguments: isJson(given) ? given : {} }];
  }
  // Of an A2A message a tool takes what is said; `role` is of the envelope.
  const { message } = params;
  const said = isJson(message) && Array.isArray(message['parts']) ? { parts: message['parts'] } : params;
  return [{ kind: 'call', tool: 'send_message', arguments: said }];
}

/** Shapes of the product, as far as they are used here. */
interface Guard {
  readonly name: string;
  judge(envelope: unknown): Verdict | Promise<Verdict>;
}

/** Effects that the policies of the starter set "team" ask about. */
const ASKED: ReadonlySet<string> = new Set(['delete', 'pay', 'change_rights', 'credentials', 'write_public']);

type Doors = Awaited<ReturnType<typeof openDoors>>;

async function openDoors() {
  const argumentSafety = await load<(ports: unknown) => Guard>('guard/argument-safety.js', 'argumentSafety');
  const secrets = await load<(ports: unknown) => readonly Guard[]>('guard/secrets/secrets.js', 'secrets');
  const inResult = await load<(ports: unknown) => Guard>('guard/secrets/secrets.js', 'secretsInResult');
  const toSafety = await load<(set: string) => unknown>('config/argument-safety-section.js', 'toStarterSafety');
  const toSecrets = await load<(set: string) => unknown>('config/secrets-section.js', 'toStarterSecrets');
  const createVault = await load<(options: unknown) => unknown>('state/memory-vault.js', 'createMemoryVault');
  const scanResult = await load<(ports: unknown) => Guard>('guard/scan-result.js', 'scanResult');
  const resolveScan = await load<(written: undefined, context: unknown, report: () => void) => unknown>(
    'config/scan-section.js',
    'resolveScan',
  );
  const scanDefinition = await load<ScanDefinition>('guard/scan/scan-definition.js', 'scanDefinition');
  const readDefinition = await load<(definition: Json) => { readonly sinks: readonly string[] }>(
    'guard/sinks/classify-definition.js',
    'readDefinition',
  );
  const findSinks = await load<(call: Json, settings: unknown) => readonly string[]>(
    'guard/sinks/sink-floor.js',
    'findSinks',
  );
  const vault = createVault({ now: () => performance.now(), limits: () => ({ minutes: 60, entries: 1_000 }) });
  const ports = { settings: () => toSecrets('team'), vault };
  const outer = [argumentSafety({ settings: () => toSafety('team') }), ...secrets(ports)];
  const scanSettings = resolveScan(undefined, { servers: [], set: 'team' }, () => {});
  // The results of this dataset come from pages, mail and agents elsewhere.
  const kindOf = () => ({ isLocal: false, carriesOthers: true });
  const scan = scanResult({ settings: () => scanSettings, hostOf: () => undefined, kindOf });
  return { outer, scan, masking: inResult(ports), scanDefinition, readDefinition, findSinks };
}

async function judgeStep(doors: Doors, step: Step, isAllowed: boolean): Promise<readonly string[]> {
  if (step.kind === 'definition') {
    const { findings } = doors.scanDefinition(step.definition, { kind: 'tools', server: 'stranger', tools: [] });
    return findings.map(({ id, tier }) => `${id}(${tier})`);
  }
  if (step.kind === 'call') {
    const call = toCall(doors, step.tool, step.arguments);
    const effects = doors.findSinks(call, undefined).filter((effect) => ASKED.has(effect));
    return [
      ...(await Promise.all(doors.outer.map(async (guard) => explain(guard.name, await guard.judge(call))))).flat(),
      ...effects.map((effect) => `policy: ask ${effect}`),
    ];
  }
  const asked = toCall(doors, 'fetch', {});
  const result = { ...asked, kind: 'result', body: step.result, asked };
  const read = explain(doors.scan.name, await doors.scan.judge(result));
  const stopped = isAllowed ? read.filter((one) => !one.includes(': rewrite ')) : read;
  return [...stopped, ...explain(doors.masking.name, await doors.masking.judge(result))];
}

function toCall({ readDefinition }: Doors, name: string, args: Json): Json {
  const definition = { name, description: '', inputSchema: { type: 'object' } };
  const { sinks } = readDefinition(definition);
  const tool = { upstream: 'outside', name, publicName: name, definition, approvedHints: {}, sinks };
  const place = { upstream: 'outside', target: name, publicTarget: name, item: 'tool' };
  const client = { principal: { id: 'bench' } };
  return { kind: 'call', ...place, tool, body: args, fixed: {}, client, run: 'bench', snapshot: { version: 1 } };
}

function explain(guard: string, verdict: Verdict | undefined): readonly string[] {
  if (verdict === undefined || verdict.kind === 'allow') return [];
  return [`${guard}: ${verdict.kind} ${verdict.reason ?? ''}`];
}
