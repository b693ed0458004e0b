import type { Fields } from '../messages.ts';
import { watchedUri } from '../resources.ts';
import { toText } from '../samples.ts';
import { defineTool, type Tool } from './tool.ts';

/** Tools that change what the server offers, so that change notifications can be waited for. */
export const triggerTools: readonly Tool[] = [
  toTrigger('test_trigger_tool_change', 'tools'),
  toTrigger('test_trigger_prompt_change', 'prompts'),
  toTrigger('test_trigger_resource_change', 'resources'),
  defineTool(
    'test_trigger_resource_update',
    (args, _call, world) => {
      world.counts.resourceVersion += 1;
      world.emit({ kind: 'resource', uri: toUri(args) });
      return toText(`version ${world.counts.resourceVersion}`);
    },
    { about: 'Changes a resource and tells its subscribers', properties: { uri: { type: 'string' } } },
  ),
];

function toTrigger(name: string, kind: 'tools' | 'prompts' | 'resources'): Tool {
  return defineTool(
    name,
    (_args, _call, world) => {
      world.extras[kind] = !world.extras[kind];
      world.emit({ kind });
      return toText(`extra ${kind} ${world.extras[kind] ? 'listed' : 'gone'}`);
    },
    { about: `Adds or removes one of the ${kind} and says so` },
  );
}

function toUri(args: Fields): string {
  return typeof args.uri === 'string' ? args.uri : watchedUri;
}
