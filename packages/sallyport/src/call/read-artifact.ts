import { budgetFor, DEFAULT_RESULTS } from '../config/results-section.ts';
import { FaultError } from '../core/errors.ts';
import { type JsonObject, member } from '../core/json.ts';
import { Answer } from '../core/message.ts';
import { createPause } from '../core/pace.ts';
import { judgePart } from './artifacts/judge-part.ts';
import { readContents, readPart } from './artifacts/read-part.ts';
import type { Inbound } from './inbound.ts';
import { type OpenArtifact, toBudget } from './large-results.ts';
import type { OwnTool } from './own-tool.ts';
import type { CallPorts } from './ports.ts';
import { relay } from './relay.ts';
import { readRequest } from './request-forms.ts';

const NAME = 'read_artifact';

/** As lists show it. */
const DEFINITION: JsonObject = Object.freeze({
  name: NAME,
  description: 'Reads parts of a result that was too large: by characters, lines, search, or JSON path.',
  inputSchema: {
    type: 'object',
    properties: {
      artifact: { type: 'string', description: 'sallyport://artifact/… from the result' },
      offset: { type: 'integer', minimum: 0, description: 'First character' },
      line: { type: 'integer', minimum: 1, description: 'First line, instead of offset' },
      length: { type: 'integer', minimum: 1, description: 'Characters, 10,000 unless given' },
      search: { type: 'string', description: 'Text to find' },
      path: { type: 'string', description: 'Part of JSON, e.g. $.rows[20:40].name' },
    },
    required: ['artifact'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
});

/** In the record: no server of a configuration can have this name. */
const OWN = '(sallyport)';
/** However much its client takes. Characters. */
const MOST = 100_000;

/** Offered where results can be cut, and listed where limits are configured or there is something to read. */
export const READ_ARTIFACT: OwnTool = {
  name: NAME,
  definition: DEFINITION,
  isOffered: ({ endpoint }) => endpoint.kind !== 'server',
  isListed: ({ snapshot, holdsArtifacts }) => snapshot.results !== undefined || holdsArtifacts === true,
  answer: ({ ports, inbound, run, body }) => answerReadArtifact(ports, { inbound, run, body }),
};

interface ReadCall {
  readonly inbound: Inbound;
  readonly run: string;
  readonly body: JsonObject;
}

/** What a model can correct is a result that says so (MCP tools#error-handling). */
async function answerReadArtifact(ports: CallPorts, { inbound, run, body }: ReadCall): Promise<JsonObject> {
  try {
    return await useArtifact(ports, { inbound, run, named: member(body, 'artifact') }, (opened) => {
      const { upstream, tool } = opened.artifact;
      return readPart(opened, body, { most: mostFor(inbound, upstream, tool), pause: createPause() });
    });
  } catch (error) {
    if (!(error instanceof FaultError) || !CORRECTABLE.has(error.code)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

const CORRECTABLE: ReadonlySet<string> = new Set(['invalid_params', 'not_found', 'too_large', 'denied']);

/** The way of resources/read of an artifact's address. @throws FaultError `resource_not_found`, `too_large`, `denied` */
export function readArtifactContents(ports: CallPorts, given: Inbound): Promise<Answer> {
  return relay(ports, given, ({ inbound, run }) => {
    const { request, exchange } = inbound;
    const named = member(request.params, 'uri');
    const carried = readRequest('read', request, { named: String(named), isSealed: exchange.exclusive === true });
    const send = async () => {
      try {
        return Answer.result(request.id, await useArtifact(ports, { inbound, run, named }, readContents));
      } catch (error) {
        if (!(error instanceof FaultError) || error.code !== 'not_found') throw error;
        throw new FaultError('resource_not_found', error.message, { data: { uri: String(named).slice(0, 256) } });
      }
    };
    return { kind: 'read', upstream: OWN, target: NAME, ...carried, send };
  });
}

async function useArtifact(
  ports: CallPorts,
  { inbound, run, named }: { readonly inbound: Inbound; readonly run: string; readonly named: unknown },
  read: (opened: OpenArtifact) => Promise<JsonObject>,
): Promise<JsonObject> {
  if (typeof named !== 'string' || ports.largeResults === undefined)
    throw new FaultError('invalid_params', 'read_artifact needs "artifact": the address that the result gave.');
  const opened = await ports.largeResults.open(inbound, run, named);
  try {
    const part = await read(opened);
    return await judgePart(ports, { inbound, run, artifact: opened.artifact }, part);
  } finally {
    await opened.close();
  }
}

function mostFor({ snapshot, exchange, endpoint }: Inbound, server: string, tool: string): number {
  const { agent } = exchange.client.principal;
  const clients = agent === undefined ? [exchange.client.info.name] : [exchange.client.info.name, agent];
  const bundle = endpoint.kind === 'bundle' ? endpoint.name : undefined;
  const budget = toBudget(budgetFor(snapshot.results ?? DEFAULT_RESULTS, { clients, bundle, server, tool }));
  return Math.min(MOST, budget.characters, budget.tokens ?? MOST);
}
