import type { JsonObject } from '../core/json.ts';
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

/** What a model is told first. */
export function toInstructions({ endpoint, sight, parts }: ViewContent): string | undefined {
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
