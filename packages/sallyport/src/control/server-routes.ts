import type { Tally } from '../catalog/contract.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { describePage, pageOfItems } from './page.ts';
import type { ControlPorts } from './ports.ts';
import { NULLABLE_TEXT, objectOf, PAGE_PARAMETERS, pageOf, type Route, type Schema } from './route.ts';

const MAX_PROBLEMS = 100;
const COUNT: Schema = { type: 'integer' };

const TALLY: Schema = {
  ...objectOf({
    tools: { ...COUNT, description: 'All of its tools, the following ones included.' },
    quarantined: { ...COUNT, description: 'They wait for a person.' },
    rejected: COUNT,
    unvalidated: { ...COUNT, description: 'They may be used, and have a schema that validates nothing.' },
    malformed: { ...COUNT, description: 'They cannot be shown at all.' },
    waiting: { ...COUNT, description: 'Definitions of every kind that wait for a person.' },
  }),
  type: ['object', 'null'],
  description: 'What it offers, and how much of it may not be used; null: it was not met yet.',
};

const SERVER: Schema = {
  title: 'Server',
  type: 'object',
  required: [
    'name',
    'transport',
    'state',
    'revision',
    'lastError',
    'inFlight',
    'connections',
    'definitions',
    'problems',
  ],
  properties: {
    name: { type: 'string' },
    transport: { enum: ['stdio', 'http', 'sse'] },
    state: { enum: ['idle', 'connecting', 'ready', 'broken', 'unauthenticated', 'stopped'] },
    era: NULLABLE_TEXT,
    revision: NULLABLE_TEXT,
    connections: { type: 'integer' },
    inFlight: { type: 'integer' },
    lastError: NULLABLE_TEXT,
    definitions: TALLY,
    problems: {
      type: 'array',
      items: { type: 'string' },
      description: 'What is left out of its lists, and which schemas validate nothing, with the reason; the first 100.',
    },
    stderr: { type: 'array', items: { type: 'string' }, description: 'The last lines a child wrote to stderr.' },
  },
};

/** The servers behind Sallyport: their state, and starting them again. */
export function serverRoutes({ upstreams, catalog, snapshot }: ControlPorts): readonly Route[] {
  const show = (name: string): JsonObject => {
    const settings = snapshot().servers.get(name);
    if (settings === undefined) throw new FaultError('not_found', `There is no server "${name.slice(0, 64)}".`);
    const status = upstreams.status(name);
    const tally = catalog.tally(name);
    const known = tally === undefined ? [] : catalog.reports(name);
    return {
      name,
      transport: settings.transport.type,
      state: status?.state ?? 'idle',
      era: status?.era ?? null,
      revision: status?.revision ?? null,
      connections: status?.connections ?? 0,
      inFlight: status?.inFlight ?? 0,
      lastError: status?.lastError ?? null,
      definitions: toDefinitions(tally),
      problems: known.slice(0, MAX_PROBLEMS).map(({ item, problem }) => `${item}: ${problem}`),
      stderr: status?.stderr ?? [],
    };
  };
  return [
    {
      method: 'GET',
      path: '/servers',
      id: 'listServers',
      summary: 'The servers of the configuration, with their state',
      role: 'viewer',
      query: PAGE_PARAMETERS,
      result: pageOf(SERVER),
      handle: ({ query }) => {
        const names = [...snapshot().servers.keys()].sort();
        return describePage(
          pageOfItems(names, query, (name) => name),
          show,
        );
      },
    },
    {
      method: 'GET',
      path: '/servers/{name}',
      id: 'showServer',
      summary: 'One server',
      role: 'viewer',
      result: SERVER,
      problems: [404],
      handle: ({ path }) => show(path.get('name') ?? ''),
    },
    {
      method: 'POST',
      path: '/servers/{name}/restart',
      id: 'restartServer',
      summary: 'Ends the connections of a server and its child; the next call starts it again, whatever it did before',
      role: 'operator',
      result: SERVER,
      problems: [404],
      handle: async ({ path }) => {
        const name = path.get('name') ?? '';
        show(name);
        await upstreams.restart(name);
        return show(name);
      },
    },
  ];
}

function toDefinitions(tally: Tally | undefined): JsonObject | null {
  return tally === undefined ? null : { ...tally };
}
