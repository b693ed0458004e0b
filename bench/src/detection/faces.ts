import type { Candidate, DefinitionContext } from './product.ts';
import { type DataRow, isJson, type Json, toText } from './read-rows.ts';

/** The server of a poisoned tool that names none. */
const STRANGER = 'attacker';

export function toCandidate(server: string, definition: Json): Candidate {
  const schema = definition['inputSchema'];
  const properties = isJson(schema) ? schema['properties'] : undefined;
  return {
    server,
    name: toText(definition['name']),
    title: toText(definition['title']),
    description: toText(definition['description']),
    parameters: isJson(properties) ? Object.keys(properties) : [],
    definition,
  };
}

/** `{server, tool}`, as pairs and peers are written. */
export function toNamed(written: unknown): Candidate | undefined {
  if (!isJson(written) || !isJson(written['tool'])) return undefined;
  return toCandidate(toText(written['server']) || 'unknown', written['tool']);
}

/** What each tool is read beside: the tools of its own server, and the peers its row names. */
export class Neighbours {
  readonly #own = new Map<string, Candidate[]>();
  readonly #named = new Map<string, Candidate[]>();

  constructor(benign: readonly DataRow[]) {
    for (const row of benign) {
      const definition = row.object('tool');
      if (definition === undefined) continue;
      const face = toCandidate(row.text('server'), definition);
      push(this.#own, `${row.source} ${face.server}`, face);
      if (row.is('kind', 'real')) push(this.#named, face.server.toLowerCase(), face);
    }
  }

  /** Of an honest tool: those of its own server. The array is the same for all of them, as a catalogue's would be. */
  ofBenign(row: DataRow): DefinitionContext {
    const server = row.text('server');
    return { kind: 'tools', server, tools: this.#own.get(`${row.source} ${server}`) ?? [] };
  }

  /** Of a poisoned one: the peers of its row, and the tools of the server it poses as or stands in. */
  ofPoisoned(row: DataRow): DefinitionContext & { readonly peers: readonly Candidate[] } {
    const context = row.object('context');
    const server = toText(context?.['server']) || STRANGER;
    const written = context?.['peers'];
    const peers = [context?.['peer'], ...(Array.isArray(written) ? written : [])].flatMap((one) => toNamed(one) ?? []);
    return { kind: 'tools', server, tools: [...peers, ...(this.#named.get(server.toLowerCase()) ?? [])], peers };
  }
}

function push(map: Map<string, Candidate[]>, key: string, face: Candidate): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [face]);
  else list.push(face);
}
