/** What both hand-written upstreams answer: two tools, both eras, nothing else. `BENCH_TOOLS`: how many more are listed. */

/** Legacy revisions an `initialize` may ask for; the answer repeats the one asked for. */
const LEGACY_REVISIONS = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);
const MODERN_REVISION = '2026-07-28';
const SERVER_INFO = { name: 'bench-upstream', version: '1.0.0' };
const CAPABILITIES = { tools: {} };

/** 100 KB of plain ASCII, so that neither side pays for escapes or multi-byte text. */
const BIG_TEXT = 'The quick brown fox jumps over the lazy dog. 0123456789 abcdefghij. '.repeat(1_506).slice(0, 102_400);

const TOOLS = [
  {
    name: 'echo',
    description: 'Answers the text it was given.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  {
    name: 'big',
    description: 'Answers 100 KB of text.',
    inputSchema: { type: 'object', properties: {} },
  },
  ...Array.from({ length: Number(process.env['BENCH_TOOLS'] ?? 0) }, (_, i) => ({
    name: `tool_${i}`,
    description: 'Is listed, and never called.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  })),
];

const BIG_TAIL = {
  legacy: `,"result":{"content":[{"type":"text","text":"${BIG_TEXT}"}]}}`,
  modern: `,"result":{"resultType":"complete","content":[{"type":"text","text":"${BIG_TEXT}"}]}}`,
};

export interface Incoming {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly text?: unknown };
    readonly protocolVersion?: string;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** The answer as JSON text; `undefined` for notifications and responses, which have none. */
export function answer(message: Incoming): string | undefined {
  if (message.id === undefined || message.method === undefined) return undefined;
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)}`;
  const modern = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
  if (message.method === 'tools/call') return head + callTail(message, modern);
  const result = resultOf(message, modern);
  if (result === undefined) return `${head},"error":{"code":-32601,"message":"Method not found"}}`;
  return `${head},"result":${JSON.stringify(result)}}`;
}

/** What opens a `subscriptions/listen` stream: nothing here ever changes, so every asked type is acknowledged as none. */
export function acknowledge(message: Incoming): string {
  const id = JSON.stringify(message.id);
  return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":${id}},"notifications":{}}}`;
}

function callTail(message: Incoming, modern: boolean): string {
  const name = message.params?.name;
  if (name === 'big') return modern ? BIG_TAIL.modern : BIG_TAIL.legacy;
  if (name !== 'echo') return ',"error":{"code":-32602,"message":"Unknown tool"}}';
  const text = JSON.stringify(String(message.params?.arguments?.text));
  return modern
    ? `,"result":{"resultType":"complete","content":[{"type":"text","text":${text}}]}}`
    : `,"result":{"content":[{"type":"text","text":${text}}]}}`;
}

function resultOf(message: Incoming, modern: boolean): object | undefined {
  const complete = modern ? { resultType: 'complete' } : {};
  switch (message.method) {
    case 'initialize': {
      const asked = message.params?.protocolVersion ?? '';
      const protocolVersion = LEGACY_REVISIONS.has(asked) ? asked : '2025-11-25';
      return { protocolVersion, capabilities: CAPABILITIES, serverInfo: SERVER_INFO };
    }
    case 'server/discover':
      if (!modern) return undefined;
      return {
        ...complete,
        supportedVersions: [MODERN_REVISION],
        capabilities: CAPABILITIES,
        _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
        ttlMs: 3_600_000,
        cacheScope: 'public',
      };
    case 'tools/list':
      return modern ? { ...complete, tools: TOOLS, ttlMs: 3_600_000, cacheScope: 'public' } : { tools: TOOLS };
    case 'ping':
      return complete;
    default:
      return undefined;
  }
}
