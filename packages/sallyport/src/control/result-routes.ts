import type { JsonObject } from '../core/json.ts';
import type { KeptResult, KeptState } from '../guard/scan/results/kept-result.ts';
import { UNATTENDED } from './approval-schemas.ts';
import { checkAttended } from './check-attended.ts';
import { describeFinding, FINDING } from './finding-view.ts';
import { describePage, pageByTime, readLimit, readPlace, readWord } from './page.ts';
import { type PersonOf, readPeople, toBy } from './people.ts';
import type { ControlPorts } from './ports.ts';
import { recorded } from './recorded.ts';
import { NULLABLE_TEXT, objectOf, PAGE_PARAMETERS, pageOf, type Route, type Schema, TEXT, TIME } from './route.ts';

const STATES: readonly KeptState[] = ['held', 'released', 'delivered', 'dropped'];

const PROPERTIES: Readonly<Record<string, Schema>> = {
  id: TEXT,
  state: { enum: [...STATES] },
  createdAt: TIME,
  expiresAt: TIME,
  principal: { type: 'string', description: 'Who made the call, and gets the result.' },
  person: { ...NULLABLE_TEXT, description: 'Who stands behind the key of that caller.' },
  upstream: TEXT,
  tool: {
    type: 'string',
    description: 'For what is no result of a tool the method and the URI or name: resources/read note://today.',
  },
  findings: { type: 'array', items: FINDING },
  decidedBy: { ...NULLABLE_TEXT, description: 'The person, or the id of the principal where none is known.' },
  decidedById: { ...NULLABLE_TEXT, description: 'Id of the principal.' },
  decidedAt: { type: ['string', 'null'], format: 'date-time' },
  reason: NULLABLE_TEXT,
};

const KEPT: Schema = { title: 'KeptResult', ...objectOf(PROPERTIES) };

const DECISION: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['reason'],
  properties: {
    reason: { type: 'string', minLength: 3, maxLength: 500, description: 'Why; stands in the audit.' },
    unattended: UNATTENDED,
  },
};

/** Results that are quarantined because of what stands in them. */
export function resultRoutes(ports: ControlPorts): readonly Route[] {
  return [listRoute(ports), showRoute(ports), decideRoute(ports, 'release'), decideRoute(ports, 'drop')];
}

function listRoute(ports: ControlPorts): Route {
  const { kept } = ports;
  return {
    method: 'GET',
    path: '/results',
    id: 'listResults',
    summary: 'Results in quarantine, the newest first; what stands in them is shown one by one',
    role: 'viewer',
    query: [...PAGE_PARAMETERS, { name: 'state', description: 'How it stands.', schema: { enum: [...STATES] } }],
    result: pageOf(KEPT),
    handle: async ({ query }) => {
      const state = readWord(query, 'state', STATES);
      const found = await (await kept()).list({ state, limit: readLimit(query), after: readPlace(query) });
      const personOf = await readPeople(ports);
      return describePage(pageByTime(found, query), (one) => describe(one, personOf));
    },
  };
}

function showRoute(ports: ControlPorts): Route {
  const { kept } = ports;
  return {
    method: 'GET',
    path: '/results/{id}',
    id: 'showResult',
    summary: 'One result in quarantine, with what the server answered: it is hostile until somebody says otherwise',
    role: 'operator',
    result: objectOf({ ...PROPERTIES, result: { description: 'As the server sent it; null: it is gone.' } }),
    problems: [404],
    handle: async ({ path }) => {
      const found = await (await kept()).get(path.get('id') ?? '');
      return { ...describe(found, await readPeople(ports)), result: found.result ?? null };
    },
  };
}

function decideRoute(ports: ControlPorts, decision: 'release' | 'drop'): Route {
  const { kept, note } = ports;
  return {
    method: 'POST',
    path: `/results/{id}/${decision}`,
    id: `${decision}Result`,
    summary:
      decision === 'release'
        ? 'Lets the caller of a result in quarantine have it: the same call, made again, gets it once'
        : 'Deletes a result in quarantine',
    role: 'operator',
    body: DECISION,
    result: KEPT,
    problems: [404, 409, 503],
    handle: async ({ path, body, principal }) => {
      const { reason } = body as { readonly reason: string }; // as its schema says
      if (decision === 'release') checkAttended(ports, body);
      const store = await kept();
      const { id, upstream, tool } = await store.get(path.get('id') ?? '');
      const by = principal.id;
      const record = { kind: `result_${decision}`, ...toBy(principal), result: id, upstream, tool, reason };
      const state = decision === 'release' ? 'released' : 'dropped';
      const after = await recorded(note, record, () => store.decide(id, { state, by, reason }));
      return describe(after, await readPeople(ports));
    },
  };
}

function describe(one: KeptResult, personOf: PersonOf): JsonObject {
  return {
    id: one.id,
    state: one.state,
    createdAt: toTime(one.createdAt),
    expiresAt: toTime(one.expiresAt),
    principal: one.principal,
    person: personOf(one.principal) ?? null,
    upstream: one.upstream,
    tool: one.tool,
    findings: one.findings.map(describeFinding),
    decidedBy: personOf(one.decidedBy) ?? one.decidedBy ?? null,
    decidedById: one.decidedBy ?? null,
    decidedAt: one.decidedAt === undefined ? null : toTime(one.decidedAt),
    reason: one.reason ?? null,
  };
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
