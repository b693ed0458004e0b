import { pause } from '../call.ts';
import { readText } from '../messages.ts';
import { elicitForm, elicitText, pngPixel, sample, sampledText, silentWav, toText } from '../samples.ts';
import { jsonSchemaTool } from './json-schema-tool.ts';
import { defineTool, type Tool } from './tool.ts';

const text = { type: 'string' };
const image = { type: 'image', data: pngPixel, mimeType: 'image/png' };

/** The tools that the scenarios of the legacy revisions call by name. The first one must work without arguments. */
export const suiteTools: readonly Tool[] = [
  defineTool('test_simple_text', () => toText('This is a simple text response for testing.')),
  defineTool('test_image_content', () => ({ content: [image] })),
  defineTool('test_audio_content', () => ({ content: [{ type: 'audio', data: silentWav, mimeType: 'audio/wav' }] })),
  defineTool('test_embedded_resource', () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  })),
  defineTool('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  })),
  defineTool('test_tool_with_logging', async (_args, call) => {
    for (const step of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      call.log('info', step, 'conformance');
      await pause(20, call.signal);
    }
    return toText('Tool with logging executed successfully');
  }),
  defineTool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  }),
  defineTool('test_tool_with_progress', async (_args, call) => {
    for (const done of [0, 50, 100]) {
      call.progress(done, 100, `Completed step ${done} of 100`);
      await pause(20, call.signal);
    }
    return toText(String(call.meta.progressToken ?? 'no progress token'));
  }),
  defineTool(
    'test_sampling',
    async (args, call) => {
      const { answer } = await call.ask({ answer: sample(readText(args, 'prompt')) });
      return toText(`LLM response: ${sampledText(answer)}`);
    },
    { properties: { prompt: text }, required: ['prompt'] },
  ),
  defineTool(
    'test_elicitation',
    async (args, call) => {
      const { answer } = await call.ask({ answer: elicitText(readText(args, 'message'), 'response') });
      return toText(
        `User response: action=${String(answer?.action)}, content=${JSON.stringify(answer?.content ?? {})}`,
      );
    },
    { properties: { message: text }, required: ['message'] },
  ),
  defineTool('test_elicitation_sep1034_defaults', async (_args, call) => {
    const { answer } = await call.ask({ answer: elicitForm('Please review the defaults', defaultFields) });
    return toText(
      `Elicitation completed: action=${String(answer?.action)}, content=${JSON.stringify(answer?.content ?? {})}`,
    );
  }),
  defineTool('test_elicitation_sep1330_enums', async (_args, call) => {
    const { answer } = await call.ask({ answer: elicitForm('Please select options', enumFields) });
    return toText(
      `Elicitation completed: action=${String(answer?.action)}, content=${JSON.stringify(answer?.content ?? {})}`,
    );
  }),
  defineTool(
    'test_reconnection',
    async (_args, call) => {
      call.detach();
      await pause(100, call.signal);
      return toText('The client came back for this result.');
    },
    { about: 'Drops the connection in the middle; the result waits for the client to resume (SEP-1699)' },
  ),
  jsonSchemaTool,
];

const defaultFields = {
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: { type: 'string', description: 'User status', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', description: 'Verification status', default: true },
};

const options = ['option1', 'option2', 'option3'];
const titled = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
  { const: 'value3', title: 'Third' },
];

const enumFields = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: { type: 'string', enum: options, enumNames: ['Option One', 'Option Two', 'Option Three'] },
  untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled } },
};
