import type { Call } from './call.ts';
import { codes, type Fields, RpcError, readText, toFields } from './messages.ts';
import { elicitText, pngPixel, textOf } from './samples.ts';
import type { World } from './world.ts';

interface Prompt {
  readonly definition: Fields & { readonly name: string };
  readonly get: (args: Fields, call: Call) => Promise<Fields[]> | Fields[];
}

const prompts: readonly Prompt[] = [
  {
    definition: { name: 'test_simple_prompt', title: 'Simple prompt', description: 'A prompt without arguments' },
    get: () => [toUser({ type: 'text', text: 'This is a simple prompt for testing.' })],
  },
  {
    definition: {
      name: 'test_prompt_with_arguments',
      description: 'A prompt with two required arguments',
      arguments: [
        { name: 'arg1', description: 'First test argument', required: true },
        { name: 'arg2', description: 'Second test argument', required: true },
      ],
    },
    get: (args) => [
      toUser({
        type: 'text',
        text: `Prompt with arguments: arg1='${readText(args, 'arg1')}', arg2='${readText(args, 'arg2')}'`,
      }),
    ],
  },
  {
    definition: {
      name: 'test_prompt_with_embedded_resource',
      description: 'A prompt that embeds a resource',
      arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    },
    get: (args) => [
      toUser({
        type: 'resource',
        resource: {
          uri: readText(args, 'resourceUri'),
          mimeType: 'text/plain',
          text: 'Embedded resource content for testing.',
        },
      }),
      toUser({ type: 'text', text: 'Please process the embedded resource above.' }),
    ],
  },
  {
    definition: { name: 'test_prompt_with_image', description: 'A prompt that carries an image' },
    get: () => [
      toUser({ type: 'image', data: pngPixel, mimeType: 'image/png' }),
      toUser({ type: 'text', text: 'Please analyze the image above.' }),
    ],
  },
  {
    definition: {
      name: 'test_input_required_result_prompt',
      description: 'A prompt that asks the person for context first',
    },
    async get(_args, call) {
      const { user_context } = await call.ask({
        user_context: elicitText('What context should the prompt use?', 'context'),
      });
      return [toUser({ type: 'text', text: `Prompt with context: ${textOf(user_context, 'context')}` })];
    },
  },
];

const extraPrompt: Prompt = {
  definition: { name: 'extra_prompt', description: 'Comes and goes with test_trigger_prompt_change' },
  get: () => [toUser({ type: 'text', text: 'I am listed now.' })],
};

const byName = new Map([...prompts, extraPrompt].map((prompt) => [prompt.definition.name, prompt]));

export function listPrompts(world: World): Fields[] {
  const listed = world.extras.prompts ? [...prompts, extraPrompt] : prompts;
  return listed.map((prompt) => prompt.definition);
}

export async function getPrompt(call: Call): Promise<Fields> {
  const prompt = byName.get(readText(call.params, 'name'));
  if (prompt === undefined) throw new RpcError(codes.invalidParams, 'Unknown prompt');
  const messages = await prompt.get(toFields(call.params.arguments), call);
  return { description: prompt.definition.description, messages };
}

function toUser(content: Fields): Fields {
  return { role: 'user', content };
}
