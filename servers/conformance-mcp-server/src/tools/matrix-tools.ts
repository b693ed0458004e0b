import { isLogLevel, pause } from '../call.ts';
import { codes, type Fields, RpcError, readNumber, readText, toFields } from '../messages.ts';
import { pngPixel, silentWav, toText } from '../samples.ts';
import { defineTool, type Tool } from './tool.ts';

const text = { type: 'string' };
const number = { type: 'number' };
const longest = 'test_name_of_one_hundred_and_twenty_eight_characters_'.padEnd(128, 'x');

const weather = { temperature: 21.5, conditions: 'sunny', unlisted: 'extra member' };

const weatherSchema = {
  type: 'object',
  properties: { temperature: number, conditions: text },
  required: ['temperature', 'conditions'],
};

/** What a relay must carry and the suite does not ask for. */
export const matrixTools: readonly Tool[] = [
  defineTool('test_echo', (args) => ({ ...toText(JSON.stringify(args)), structuredContent: args }), {
    about: 'Returns its arguments',
    properties: { message: text },
    more: { annotations: { title: 'Echo', readOnlyHint: true, idempotentHint: true, openWorldHint: false } },
  }),
  defineTool('test_header_params', (args) => toText(JSON.stringify(args)), {
    about: 'Its parameters are mirrored into Mcp-Param-* headers (SEP-2243)',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      priority: { type: 'integer', 'x-mcp-header': 'Priority' },
      urgent: { type: 'boolean', 'x-mcp-header': 'Urgent' },
      place: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } },
      query: text,
    },
    required: ['region'],
  }),
  defineTool('test_all_content', () => ({ content: allContent }), { about: 'One block of every content type' }),
  defineTool('test_resource_link', () => ({ content: [allContent[3]] })),
  defineTool('test_structured_content', () => ({ ...toText(JSON.stringify(weather)), structuredContent: weather }), {
    about: 'Structured content under an output schema',
    more: { title: 'Weather', outputSchema: weatherSchema },
  }),
  defineTool('test_structured_array', () => ({ ...toText('[1,2,3]'), structuredContent: [1, 2, 3] }), {
    about: 'Structured content that is not an object (SEP-2106)',
    more: { outputSchema: { type: 'array', items: { type: 'integer' } } },
    only: 'modern',
  }),
  defineTool('test_schema_violation', () => ({ ...toText('cold'), structuredContent: { temperature: 'cold' } }), {
    about: 'Breaks its own output schema',
    more: { outputSchema: weatherSchema },
  }),
  defineTool('test_tool_error', () => ({ ...toText('this went wrong'), isError: true })),
  defineTool(
    'test_protocol_error',
    (args) => {
      const data = args.data === undefined ? {} : { data: args.data };
      throw new RpcError(
        readNumber(args, 'code', codes.internal),
        readText({ message: 'as ordered', ...args }, 'message'),
        data,
      );
    },
    { about: 'Answers with this JSON-RPC error', properties: { code: { type: 'integer' }, message: text, data: {} } },
  ),
  defineTool(
    'test_slow',
    async (args, call, world) => {
      const steps = readNumber(args, 'steps', 10);
      try {
        for (let step = 1; step <= steps; step += 1) {
          // Before the pause: an SDK client drops a progress note that arrives together with the result.
          call.progress(step, steps, `step ${step}`);
          await pause(readNumber(args, 'delay_ms', 100), call.signal);
        }
      } catch (error) {
        world.counts.cancelled += 1;
        throw error;
      }
      return toText(`finished after ${steps} steps`);
    },
    { about: 'Reports progress at each step and can be cancelled', properties: { steps: number, delay_ms: number } },
  ),
  defineTool('cancel_count', (_args, _call, world) => toText(String(world.counts.cancelled)), {
    about: 'How many calls of test_slow were cancelled',
  }),
  defineTool(
    'test_log',
    (args, call) => {
      const level = args.level ?? 'info';
      if (!isLogLevel(level)) throw new RpcError(codes.invalidParams, 'level is not one of the eight');
      call.log(level, args.data ?? { said: 'hello' }, 'matrix');
      return toText(`logged at ${level}`);
    },
    { properties: { level: text, data: {} } },
  ),
  defineTool('test_roots', async (_args, call) => {
    const { roots } = await call.ask({ roots: { method: 'roots/list' } });
    return toText(JSON.stringify(roots?.roots ?? []));
  }),
  defineTool('test_client', (_args, call) => toText(JSON.stringify(describeClient(call.meta, call))), {
    about: 'What this server was told about its client',
  }),
  defineTool(
    'test_big_result',
    (args) => toText('x'.repeat(Math.min(Math.max(readNumber(args, 'bytes', 100_000), 0), 10_000_000))),
    { properties: { bytes: number } },
  ),
  defineTool('test_unknown_fields', () => unknownFields, {
    about: 'Definition and result carry members that no revision knows',
    more: {
      'x-vendor': { rank: 7, nested: [1, { deep: true }] },
      annotations: { readOnlyHint: true, category: 'sample' },
      _meta: { 'com.example/tag': 'kept' },
    },
  }),
  defineTool('test_unknown_content_type', () => ({
    content: [
      { type: 'x-vendor/hologram', payload: { depth: 3 } },
      { type: 'text', text: 'after the hologram' },
    ],
  })),
  defineTool('constructor', () => toText('a tool may be called constructor')),
  defineTool(longest, () => toText('long name')),
];

const allContent: readonly Fields[] = [
  { type: 'text', text: 'words', annotations: { audience: ['user'], priority: 0.9 }, _meta: { 'com.example/part': 1 } },
  { type: 'image', data: pngPixel, mimeType: 'image/png' },
  { type: 'audio', data: silentWav, mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain', size: 48 },
  { type: 'resource', resource: { uri: 'test://static-text', mimeType: 'text/plain', text: 'embedded words' } },
  { type: 'resource', resource: { uri: 'test://static-binary', mimeType: 'image/png', blob: pngPixel } },
];

const unknownFields = {
  content: [{ type: 'text', text: 'unknown members around me', 'x-vendor': { kept: true } }],
  'x-vendor-result': { kept: [1, 2, 3] },
  _meta: { 'com.example/tag': 'kept' },
};

function describeClient(meta: Fields, call: { era: string; revision: string; capabilities: Fields }): Fields {
  const { progressToken: _, ...rest } = toFields(meta);
  return { era: call.era, revision: call.revision, capabilities: call.capabilities, meta: rest };
}
