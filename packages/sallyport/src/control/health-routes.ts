import { toFault } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { createApprovalStore } from '../storage/approvals.ts';
import { auditHeadsOf } from './audit-file-routes.ts';
import { isPending, readPins } from './known-pins.ts';
import { createPolling } from './polling.ts';
import type { ControlPorts } from './ports.ts';
import { NULLABLE_TEXT, objectOf, type Route, type Schema, TEXT } from './route.ts';

const COUNT: Schema = { type: ['integer', 'null'], description: 'null: the database cannot be read.' };

const HEALTH: Schema = objectOf({
  ok: {
    type: 'boolean',
    description: 'Calls are recorded, no record is missing, the database can be read, and no upstream is broken.',
  },
  version: TEXT,
  upstreams: {
    type: 'array',
    items: objectOf({
      name: TEXT,
      state: { enum: ['idle', 'connecting', 'ready', 'broken', 'unauthenticated', 'stopped'] },
      lastError: NULLABLE_TEXT,
    }),
  },
  audit: objectOf({
    mode: { enum: ['strict', 'batched', 'off'] },
    trouble: { ...NULLABLE_TEXT, description: 'Why nothing can be recorded; calls are refused meanwhile.' },
    damage: {
      ...NULLABLE_TEXT,
      description: 'What a start found missing or changed; null: nothing, or "audit repair" has accepted it.',
    },
    published: { type: 'boolean', description: 'false: the last head could not be published (audit.anchor).' },
  }),
  database: objectOf({ trouble: NULLABLE_TEXT }),
  pinsWaiting: COUNT,
  approvalsWaiting: COUNT,
});

/** Between two looks; milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** How this Sallyport is, at a glance. */
export function healthRoutes(ports: ControlPorts): readonly Route[] {
  const polling = createPolling(() => readHealth(ports), LOOK_EVERY_MS);
  return [
    {
      method: 'GET',
      path: '/health',
      id: 'showHealth',
      summary: 'Servers, audit and database, and how much waits for people',
      role: 'viewer',
      result: HEALTH,
      handle: () => readHealth(ports),
    },
    {
      method: 'GET',
      path: '/health/events',
      id: 'followHealth',
      summary: 'The same at once, and again whenever it changes',
      role: 'viewer',
      handle: () => ({
        follow(emit) {
          let told = '';
          const tell = (health: JsonObject): void => {
            const now = JSON.stringify(health);
            if (now === told) return;
            told = now;
            emit('health', health);
          };
          return polling.follow(tell);
        },
      }),
    },
  ];
}

async function readHealth(ports: ControlPorts): Promise<JsonObject> {
  const { upstreams, version } = ports;
  const states = [...ports.sections().servers.keys()].sort().map((name) => {
    const status = upstreams.status(name);
    return { name, state: status?.state ?? 'idle', lastError: status?.lastError ?? null };
  });
  const { mode, trouble = null, isPublished: published } = ports.recording();
  const { damage, ...stored } = await readStored(ports);
  const isBroken = states.some(({ state }) => state === 'broken');
  return {
    ok: !isBroken && trouble === null && damage === null && published && stored.database.trouble === null,
    version,
    upstreams: states,
    audit: { mode, trouble, damage, published },
    ...stored,
  };
}

async function readStored(ports: ControlPorts) {
  try {
    const { known } = await readPins(ports);
    const approvals = createApprovalStore(await ports.database(), ports.clock, await ports.texts());
    const approvalsWaiting = await approvals.countWaiting();
    const damaged = (await auditHeadsOf(ports).list()).filter(({ damage }) => damage !== undefined);
    const damage = damaged.map(({ chain, damage }) => `chain ${chain}: ${damage}`).join('; ') || null;
    return { damage, database: { trouble: null }, pinsWaiting: known.filter(isPending).length, approvalsWaiting };
  } catch (error) {
    return { damage: null, database: { trouble: toFault(error).message }, pinsWaiting: null, approvalsWaiting: null };
  }
}
