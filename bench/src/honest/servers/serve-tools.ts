import { createInterface } from 'node:readline';

/** A tool as a small server of a team offers it: most real ones carry no hints. */
export interface OwnTool {
  readonly name: string;
  readonly description: string;
  /** A `?` at the end of the name: optional. The value: its type, and what the schema says about it. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, boolean>>;
  run(args: Readonly<Record<string, unknown>>): unknown;
}

/** An answer that the tool gives as its error. */
export class ToolTrouble extends Error {}

/** Serves tools over stdio in the revision of 2025-06-18. */
export function serveTools(name: string, tools: readonly OwnTool[]): void {
  const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method, params } = JSON.parse(line) as { id?: number; method?: string; params?: Called };
    if (id === undefined || method === undefined) return;
    if (method === 'initialize')
      send({
        id,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name, version: '1.0.0' },
        },
      });
    else if (method === 'tools/list') send({ id, result: { tools: tools.map(toDefinition) } });
    else if (method === 'tools/call') send({ id, result: await callTool(tools, params ?? {}) });
    else if (method === 'ping') send({ id, result: {} });
    else send({ id, error: { code: -32_601, message: 'Method not found' } });
  });
}

interface Called {
  readonly name?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

async function callTool(tools: readonly OwnTool[], called: Called): Promise<object> {
  const tool = tools.find((one) => one.name === called.name);
  try {
    if (tool === undefined) throw new ToolTrouble(`Unknown tool: ${called.name}`);
    const answer = await tool.run(called.arguments ?? {});
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer, undefined, 2);
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    return {
      content: [{ type: 'text', text: `Error: ${error instanceof Error ? error.message : error}` }],
      isError: true,
    };
  }
}

function toDefinition({ name, description, parameters, annotations }: OwnTool): object {
  const entries = Object.entries(parameters);
  const properties = entries.map(([key, said]) => {
    const [type = 'string', ...rest] = said.split(' ');
    const words = rest.join(' ');
    const base = type.endsWith('[]') ? { type: 'array', items: { type: type.slice(0, -2) } } : { type };
    return [key.replace('?', ''), words === '' ? base : { ...base, description: words }];
  });
  const required = entries.map(([key]) => key).filter((key) => !key.endsWith('?'));
  return {
    name,
    description,
    inputSchema: { type: 'object', properties: Object.fromEntries(properties), required },
    ...(annotations === undefined ? {} : { annotations }),
  };
}
