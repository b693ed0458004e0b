import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createInspection } from '../src/app/inspect-definition.ts';
import type { PinSettings } from '../src/config/pins-section.ts';
import type { ServerSettings, Snapshot } from '../src/config/settings.ts';
import { createApi } from '../src/control/api.ts';
import type { ControlPorts } from '../src/control/ports.ts';
import type { Route } from '../src/control/route.ts';
import { systemClock } from '../src/core/clock.ts';
import { FaultError } from '../src/core/errors.ts';
import { silentLog } from '../src/core/log.ts';
import type { Principal } from '../src/core/principal.ts';
import { openDatabase } from '../src/storage/database.ts';
import { SAMPLE_TEXTS } from './sample-texts.ts';

export interface SampleControlOptions {
  readonly pins?: Partial<PinSettings>;
  readonly servers?: Readonly<Record<string, Partial<ServerSettings>>>;
  readonly offered?: ControlPorts['offered'];
}

/** Routes over a real database of their own; what they note is kept, and can be made to fail. */
export async function openSampleControl(
  toRoutes: (ports: ControlPorts) => readonly Route[],
  options: SampleControlOptions = {},
) {
  const stateDir = mkdtempSync(join(tmpdir(), 'sallyport-control-'));
  const database = await openDatabase(join(stateDir, 'sallyport.db'));
  onTestFinished(async () => {
    await database.destroy();
    rmSync(stateDir, { recursive: true, force: true });
  });
  const pins = { mode: 'team', lockFile: join(stateDir, 'lock.json'), ...options.pins };
  const servers = Object.entries(options.servers ?? {}).map(([name, one]) => [name, { name, ...one }] as const);
  const snapshot = { stateDir, pins, servers: new Map(servers) } as unknown as Snapshot;
  const notes: Record<string, unknown>[] = [];
  const audit = { fails: false };
  const ports = {
    clock: systemClock,
    snapshot: () => snapshot,
    sections: () => snapshot,
    database: async () => database,
    texts: async () => SAMPLE_TEXTS,
    async note(kind: string, members: Readonly<Record<string, unknown>>) {
      if (audit.fails) throw new FaultError('unrecorded', 'The audit cannot be written.');
      notes.push({ kind, ...members });
    },
    inspection: createInspection(),
    offered: options.offered ?? (async () => []),
  } as unknown as ControlPorts;
  const api = createApi({
    routes: toRoutes(ports),
    version: '1',
    log: silentLog,
    roles: () => ({ viewer: ['viewer'], operator: ['operator'], admin: ['admin'] }),
  });
  /** One request by a member of a group; its status and what came back. */
  const ask = async (group: string, line: string, body?: unknown) => {
    const [method = '', target = ''] = line.split(' ');
    const [path = '', query = ''] = target.split('?');
    const principal: Principal = { id: `key:${group}`, kind: 'key', groups: [group] };
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    const contentType = body === undefined ? undefined : 'application/json';
    const reply = await api.handle({ method, path: `/api/v1${path}`, query, principal, contentType, body: bytes });
    if (reply.kind !== 'whole') throw new Error('events or text');
    // biome-ignore lint/suspicious/noExplicitAny: tests look at what there is
    return { status: reply.status, value: JSON.parse(reply.body) as any };
  };
  return { ask, notes, audit, database, stateDir, pins };
}
