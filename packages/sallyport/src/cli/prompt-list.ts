import { isObject, type Json, member } from '../core/json.ts';
import { defineListCommand } from './list-command.ts';
import { PROMPTS } from './list-items.ts';

export const promptList = defineListCommand({
  name: 'prompt list',
  summary: 'list the prompts of a server',
  example: 'sallyport prompt list ./mcp.json#everything',
  lists: [PROMPTS],
  headings: ['prompt', 'arguments', 'description'],
  toRow: (prompt) => [
    String(member(prompt, 'name') ?? ''),
    describeArguments(member(prompt, 'arguments')),
    String(member(prompt, 'description') ?? member(prompt, 'title') ?? ''),
  ],
});

/** `city [unit]`: what may be left out stands in brackets. */
function describeArguments(list: Json | undefined): string {
  if (!Array.isArray(list)) return '';
  const names = list
    .filter((argument: Json) => isObject(argument))
    .map((argument) => {
      const name = String(member(argument, 'name') ?? '');
      return member(argument, 'required') === true ? name : `[${name}]`;
    });
  return names.join(' ');
}
