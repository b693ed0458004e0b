import type { Call } from './call.ts';
import { codes, type Fields, RpcError, readText } from './messages.ts';
import { elicitText, pngPixel, textOf } from './samples.ts';
import type { World } from './world.ts';

export const watchedUri = 'test://watched-resource';

interface Resource {
  readonly definition: Fields & { readonly uri: string };
  readonly read: (call: Call, world: World) => Promise<Fields> | Fields;
}

const resources: readonly Resource[] = [
  {
    definition: {
      uri: 'test://static-text',
      name: 'static-text',
      title: 'Static text',
      description: 'A static text resource',
      mimeType: 'text/plain',
      size: 48,
      annotations: { audience: ['user', 'assistant'], priority: 0.5, category: 'sample' },
      'x-vendor': { rank: 1 },
    },
    read: () => ({
      mimeType: 'text/plain',
      text: 'This is the content of the static text resource.',
      'x-vendor': true,
    }),
  },
  {
    definition: { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
    read: () => ({ mimeType: 'image/png', blob: pngPixel }),
  },
  {
    definition: { uri: watchedUri, name: 'watched-resource', description: 'Changes with test_trigger_resource_update' },
    read: (_call, world) => ({ mimeType: 'text/plain', text: `version ${world.counts.resourceVersion}` }),
  },
  {
    definition: { uri: 'test://asks-first', name: 'asks-first', description: 'Asks the person before it can be read' },
    async read(call) {
      const { reason } = await call.ask({ reason: elicitText('Why do you want to read this?', 'reason') });
      return { mimeType: 'text/plain', text: `read because: ${textOf(reason, 'reason')}` };
    },
  },
];

const extraResource: Resource = {
  definition: { uri: 'test://extra', name: 'extra', description: 'Comes and goes with test_trigger_resource_change' },
  read: () => ({ mimeType: 'text/plain', text: 'I am listed now.' }),
};

const byUri = new Map([...resources, extraResource].map((resource) => [resource.definition.uri, resource]));

export function listResources(world: World): Fields[] {
  const listed = world.extras.resources ? [...resources, extraResource] : resources;
  return listed.map((resource) => resource.definition);
}

export function listTemplates(): Fields[] {
  const description = 'One JSON document per id';
  return [{ uriTemplate: 'test://template/{id}/data', name: 'template', description, mimeType: 'application/json' }];
}

export async function readResource(call: Call, world: World): Promise<Fields> {
  const uri = readText(call.params, 'uri');
  const resource = byUri.get(uri);
  if (resource !== undefined) return { contents: [{ uri, ...(await resource.read(call, world)) }] };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) {
    const code = call.era === 'modern' ? codes.invalidParams : codes.resourceNotFoundLegacy;
    throw new RpcError(code, 'Resource not found', { data: { uri } });
  }
  const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: 'application/json', text }] };
}
