import type { JsonObject } from '../core/json.ts';
import type { Unavailable } from './contract.ts';
import { joinInstructions } from './merge.ts';
import type { ViewContent } from './view-part.ts';

/** Who the endpoint says it is. */
export function toServerInfo({ endpoint, sight, parts, version }: ViewContent): JsonObject {
  switch (endpoint.kind) {
    case 'all':
      return { name: 'sallyport', version };
    case 'server':
      return parts[0]?.identity.serverInfo ?? { name: endpoint.name, version: '' };
    case 'bundle': {
      const { title, description } = sight.bundle ?? {};
      return {
        name: endpoint.name,
        version,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
      };
    }
  }
}

/** What a model is told first. @param waiting what may not be used yet, in words */
export function toInstructions(content: ViewContent, waiting: readonly string[]): string | undefined {
  const told = toTold(content);
  const notes = [...content.unavailable.flatMap(describeUnavailable), ...waiting];
  if (notes.length === 0) return told;
  const note = notes.join('\n');
  if (told === undefined || told.trim() === '') return note;
  return content.endpoint.kind === 'all' ? `${told}\n\n## Not available\n\n${note}` : `${told}\n\n${note}`;
}

/** Without it a model would take a missing tool for one that never was. */
function describeUnavailable({ upstream, told }: Unavailable): readonly string[] {
  if (told === undefined) return [];
  const reason = told.replace(/\.$/, '');
  return [
    `The server ${upstream} cannot be used now: ${reason}. Its tools may be missing. If one is needed, tell the user.`,
  ];
}

function toTold({ endpoint, sight, parts }: ViewContent): string | undefined {
  switch (endpoint.kind) {
    case 'all':
      return joinInstructions(
        parts.map((part) => ({ server: part.server.name, instructions: part.identity.instructions })),
      );
    case 'server':
      return parts[0]?.identity.instructions;
    case 'bundle':
      // The servers' own would speak of tools that are not in it.
      return sight.bundle?.instructions;
  }
}
