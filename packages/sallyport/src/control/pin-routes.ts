import { toItem } from '../catalog/pins/lock-file.ts';
import { toItemName } from '../catalog/pins/pin.ts';
import { toFault } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { PinDecision } from '../storage/pins.ts';
import { countFound, describeFinding, FINDING, FOUND } from './finding-view.ts';
import { createHeldByNow } from './held-by-now.ts';
import {
  differenceOf,
  digestShown,
  foundOf,
  isPending,
  type KnownPin,
  keyOf,
  readPins,
  selectPins,
} from './known-pins.ts';
import { describePage, pageOfItems } from './page.ts';
import { describeRelated, RELATED } from './pair-view.ts';
import { type PersonOf, readPeople, toBy } from './people.ts';
import type { ControlPorts } from './ports.ts';
import { wrong } from './problem.ts';
import {
  NULLABLE_TEXT,
  objectOf,
  PAGE_PARAMETERS,
  type Parameter,
  pageOf,
  type Route,
  type Schema,
  TEXT,
} from './route.ts';

const STATES = ['approved', 'new', 'changed', 'rejected', 'unlisted'] as const;
const STATE: Schema = { enum: [...STATES] };

const PIN: Schema = objectOf({
  server: TEXT,
  item: {
    type: 'string',
    description: 'tools/search, prompts/…, resources/…, resourceTemplates/…, instructions or serverInfo.',
  },
  state: STATE,
  digest: { ...NULLABLE_TEXT, description: 'Of what is offered.' },
  approved: { ...NULLABLE_TEXT, description: 'Digest of what was approved.' },
  approvedBy: { ...NULLABLE_TEXT, description: 'The person, or the id of the principal where none is known.' },
  approvedById: { ...NULLABLE_TEXT, description: 'Id of the principal.' },
  approvedAt: NULLABLE_TEXT,
  seenAt: NULLABLE_TEXT,
  renamedFrom: NULLABLE_TEXT,
  found: FOUND,
});

const DIFFERENCE: Schema = objectOf({
  server: TEXT,
  item: TEXT,
  digest: { type: 'string', description: 'Of what is offered: name it to approve or reject exactly this.' },
  state: STATE,
  weight: { enum: ['minor', 'major'], description: 'minor: it only speaks of hints, or only takes away.' },
  renamedFrom: NULLABLE_TEXT,
  risks: { type: 'array', items: TEXT, description: 'What to look at first.' },
  findings: { type: 'array', items: FINDING, description: 'What reading it found; on a change, in what is new.' },
  related: { type: 'array', items: RELATED, description: 'Tools of others that it competes with.' },
  changes: {
    type: 'array',
    items: {
      type: 'object',
      required: ['path', 'change'],
      properties: {
        path: { type: 'string', description: 'JSON Pointer (RFC 6901).' },
        change: { enum: ['added', 'removed', 'changed'] },
        before: { description: 'Any JSON.' },
        after: { description: 'Any JSON.' },
      },
    },
  },
});

const CHOSEN: readonly Parameter[] = [
  { name: 'server', description: 'Only of this server.', schema: TEXT },
  { name: 'item', description: 'Only this item: search, tools/search or instructions.', schema: TEXT },
];

const DECIDED: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['server', 'item', 'digest'],
  properties: { server: TEXT, item: TEXT, digest: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
};

/** Rules named in one record. */
const MAX_RULES = 20;

/** One body decides about this many definitions. */
const MAX_ITEMS = 10_000;

const DECISION: Schema = {
  title: 'PinDecision',
  type: 'object',
  additionalProperties: false,
  required: ['items'],
  properties: {
    items: { type: 'array', minItems: 1, maxItems: MAX_ITEMS, items: DECIDED },
    withFindings: {
      type: 'boolean',
      default: false,
      description: 'Approve also what is held for what reading it found; otherwise it is left alone.',
    },
  },
};

const ITEM: Schema = objectOf({ server: TEXT, item: TEXT });
const OUTCOME: Schema = {
  title: 'PinOutcome',
  ...objectOf({
    mode: { enum: ['laptop', 'team', 'locked', 'off'] },
    done: { type: 'array', items: ITEM },
    late: { type: 'array', items: ITEM, description: 'They offer another definition by now, and were left alone.' },
    left: {
      type: 'array',
      items: ITEM,
      description: 'Held for what reading them found, and left alone: say withFindings.',
    },
  }),
};

/** Definitions that servers offer: which are approved, what changed, and deciding about them. */
export function pinRoutes(ports: ControlPorts): readonly Route[] {
  return [listRoute(ports), differenceRoute(ports), decideRoute(ports, 'approve'), decideRoute(ports, 'reject')];
}

function listRoute(ports: ControlPorts): Route {
  return {
    method: 'GET',
    path: '/pins',
    id: 'listPins',
    summary: 'The definitions servers offered, and which of them are approved',
    role: 'viewer',
    query: [
      ...PAGE_PARAMETERS,
      ...CHOSEN,
      {
        name: 'state',
        description: 'Only in this state. held: all but approved; pending: what waits for a decision.',
        schema: { enum: [...STATES, 'held', 'pending'] },
      },
    ],
    result: withMode(pageOf(PIN)),
    problems: [404],
    handle: async ({ query }) => {
      const { known, settings } = await readPins(ports);
      const isWanted = toStateFilter(query.get('state'));
      const chosen = known.length === 0 && !query.has('server') ? [] : choose(known, query);
      const page = pageOfItems(chosen.filter(isWanted), query, keyOf);
      return { mode: settings.mode, ...describePage(page, describePin(await readPeople(ports))) };
    },
  };
}

function differenceRoute(ports: ControlPorts): Route {
  return {
    method: 'GET',
    path: '/pins/differences',
    id: 'listPinDifferences',
    summary: 'What changed since definitions were approved, field by field, with what to look at first',
    role: 'viewer',
    query: [...PAGE_PARAMETERS, ...CHOSEN],
    result: {
      type: 'object',
      required: ['digest', 'items'],
      properties: {
        digest: { type: 'string', description: 'Stands for exactly these definitions, of all pages.' },
        items: { type: 'array', items: DIFFERENCE },
        next: TEXT,
      },
    },
    problems: [404],
    handle: async ({ query }) => {
      const { known } = await readPins(ports);
      const chosen = known.length === 0 && !query.has('server') ? [] : choose(known, query);
      const isNamed = query.has('item');
      const shown = chosen.filter((one) => isPending(one) || (isNamed && one.state !== 'approved'));
      const page = pageOfItems(shown, query, keyOf);
      return { digest: digestShown(shown), ...describePage(page, (one) => describeDifference(one, known)) };
    },
  };
}

function decideRoute(ports: ControlPorts, decision: 'approve' | 'reject'): Route {
  const { note, clock } = ports;
  return {
    method: 'POST',
    path: `/pins/${decision}`,
    id: `${decision}Pins`,
    summary:
      decision === 'approve'
        ? 'Approves definitions by their digests; what is another one by now is not approved'
        : 'Refuses definitions by their digests, approved or not; they stay hidden until they are other ones',
    role: 'operator',
    body: DECISION,
    result: OUTCOME,
    handle: async ({ body, principal }) => {
      const who = toBy(principal);
      const { settings, store, known } = await readPins(ports);
      const { items: named, withFindings = false } = body as unknown as Decision; // as its schema says
      const isLeft = decision === 'reject' || withFindings ? () => false : toHeld(known, ports);
      const items = named.filter((one) => !isLeft(one));
      const left = named.filter(isLeft).map(({ server, item }) => ({ server, item }));
      const decisions = items.map(({ server, item, digest }): PinDecision => {
        const parsed =
          toItem(item) ?? wrong(`"${item.slice(0, 64)}" is no item: write tools/<name>, as the list does.`);
        return { server, ...parsed, digest, decision, by: who.by };
      });
      // All records before the first decision: they are written together.
      const rulesOf = toRules(known);
      await Promise.all(items.map((one) => note(`pin_${decision}`, { ...who, ...one, ...rulesOf(one) })));
      const late = await store.decide(decisions, new Date(clock.now()).toISOString()).catch(async (error: unknown) => {
        const reason = toFault(error).code;
        await Promise.all(items.map((one) => note(`pin_${decision}_failed`, { ...who, ...one, reason })));
        throw error;
      });
      await Promise.all(late.map((one) => note('pin_left', { ...who, ...toItemOf(one), digest: one.digest })));
      const done = decisions.filter((one) => !late.includes(one));
      return { mode: settings.mode, done: done.map(toItemOf), late: late.map(toItemOf), left };
    },
  };
}

interface Decided {
  readonly server: string;
  readonly item: string;
  readonly digest: string;
}

interface Decision {
  readonly items: readonly Decided[];
  readonly withFindings?: boolean;
}

/** Whether somebody has to say that they mean it: exactly this definition is to be held for what stands in it. */
function toHeld(known: readonly KnownPin[], ports: ControlPorts): (one: Decided) => boolean {
  const byKey = new Map(known.map((one) => [`${keyOf(one)}\n${one.pin.seen?.digest}`, one]));
  const isHeld = createHeldByNow(known, ports);
  return ({ server, item, digest }) => {
    const one = byKey.get(`${server}\n${item}\n${digest}`);
    return one !== undefined && isHeld(one);
  };
}

/** What was found in what is decided about, for the record. */
function toRules(known: readonly KnownPin[]): (one: Decided) => { readonly rules?: string } {
  const rules = new Map(
    known.map((one) => {
      const found = foundOf(one.pin);
      const names = [...new Set(found?.findings.map(({ id }) => id) ?? [])];
      return [`${keyOf(one)}\n${found?.digest}`, names.slice(0, MAX_RULES).join(', ')];
    }),
  );
  return ({ server, item, digest }) => {
    const names = rules.get(`${server}\n${item}\n${digest}`);
    return names === undefined || names === '' ? {} : { rules: names };
  };
}

function toItemOf({ server, kind, name }: PinDecision): { server: string; item: string } {
  return { server, item: toItemName(kind, name) };
}

function choose(known: readonly KnownPin[], query: URLSearchParams): readonly KnownPin[] {
  return selectPins(known, query.get('server'), query.get('item'));
}

function toStateFilter(state: string | null): (one: KnownPin) => boolean {
  if (state === null) return () => true;
  if (state === 'held') return (one) => one.state !== 'approved';
  if (state === 'pending') return isPending;
  if (!STATES.some((known) => known === state)) wrong(`state is one of ${STATES.join(', ')}, held or pending.`);
  return (one) => one.state === state;
}

function describePin(personOf: PersonOf): (one: KnownPin) => JsonObject {
  return ({ pin, state }) => ({
    server: pin.server,
    item: toItemName(pin.kind, pin.name),
    state,
    digest: pin.seen?.digest ?? null,
    approved: pin.approved?.digest ?? null,
    approvedBy: personOf(pin.approvedBy) ?? pin.approvedBy ?? null,
    approvedById: pin.approvedBy ?? null,
    approvedAt: pin.approvedAt ?? null,
    seenAt: pin.seenAt ?? null,
    renamedFrom: pin.renamedFrom ?? null,
    found: countFound(foundOf(pin)),
  });
}

function describeDifference(one: KnownPin, known: readonly KnownPin[]): JsonObject {
  const { changes, risks, weight } = differenceOf(one, known);
  const { pin, state } = one;
  const found = foundOf(pin);
  return {
    server: pin.server,
    item: toItemName(pin.kind, pin.name),
    digest: pin.seen?.digest ?? '',
    state,
    weight,
    renamedFrom: pin.renamedFrom ?? null,
    risks,
    findings: found?.findings.map(describeFinding) ?? [],
    related: describeRelated(one, found, known),
    // Through JSON: members that are undefined are left out.
    changes: JSON.parse(JSON.stringify(changes)) as Json,
  };
}

function withMode(page: Schema): Schema {
  const { required, properties } = page as { required: string[]; properties: JsonObject }; // made by pageOf
  return {
    ...page,
    required: ['mode', ...required],
    properties: { mode: { enum: ['laptop', 'team', 'locked', 'off'] }, ...properties },
  };
}
