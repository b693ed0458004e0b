import { createProgramGate, type ProgramGate } from '../call/program-gate.ts';
import type { Catalog } from '../catalog/contract.ts';
import { pinOwnerOf, pinsOf } from '../config/pins-section.ts';
import { toProgramOf } from '../config/program-of.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Database } from '../storage/database.ts';
import { type OpenPins, openPins } from '../storage/open-pins.ts';
import type { CreateCredential } from '../upstream/auth/credentials.ts';
import type { EraStore } from '../upstream/era-store.ts';
import { createIsolation } from '../upstream/isolation.ts';
import { createUpstreams, type Upstreams } from '../upstream/upstreams.ts';
import { VERSION } from '../version.ts';
import { createArrivalOf } from './arrival-of.ts';
import { createInspection } from './inspect-definition.ts';

export interface UpstreamsParts {
  readonly snapshot: () => Snapshot;
  readonly database: () => Promise<Database>;
  readonly eras: EraStore;
  readonly createCredential: CreateCredential;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenUpstreams {
  readonly pins: OpenPins;
  readonly upstreams: Upstreams;
  /** From here on servers whose program is no longer approved end, and those that somebody approved are asked again. */
  watchPrograms(catalog: Catalog): () => void;
}

/** The servers, and what was approved of them: nothing is started that a pin holds. */
export async function openUpstreams(parts: UpstreamsParts): Promise<OpenUpstreams> {
  const { snapshot, database, eras, createCredential, clock, log } = parts;
  const settings = () => pinsOf(snapshot());
  const pins = await openPins({
    ...{ database, clock, log, settings },
    configuration: pinOwnerOf(snapshot()),
    servers: [...snapshot().servers.keys()],
    scan: () => snapshot().scan,
    inspection: createInspection(),
    arrival: createArrivalOf(snapshot),
    program: toProgramOf(snapshot),
  });
  const mode = () => (settings().programs === false ? undefined : settings().mode);
  const programs = createProgramGate({ pins: pins.book, mode, log });
  const upstreams = createUpstreams({
    servers: () => snapshot().servers,
    eras,
    log,
    clock,
    identity: { name: 'sallyport', version: VERSION },
    createCredential,
    admitProgram: programs.admit,
    isolate: createIsolation(snapshot().stateDir),
  });
  const watchPrograms = (catalog: Catalog) => watch(parts, { pins, upstreams, programs, catalog });
  return { pins, upstreams, watchPrograms };
}

interface Watched {
  readonly pins: OpenPins;
  readonly upstreams: Upstreams;
  readonly programs: ProgramGate;
  readonly catalog: Catalog;
}

function watch({ snapshot, log }: UpstreamsParts, { pins, upstreams, programs, catalog }: Watched): () => void {
  const startAnew = (server: string) => {
    if (!snapshot().servers.has(server)) return;
    upstreams.restart(server).then(
      () => catalog.invalidate(server),
      (error: unknown) => log.error({ upstream: server, error }, 'the server could not be ended'),
    );
  };
  const stopDecisions = pins.book.onProgram(startAnew);
  const stopEvents = upstreams.onEvent(({ kind, upstream }) => {
    const settings = snapshot().servers.get(upstream);
    if (kind !== 'connected' || settings === undefined) return;
    programs.isOtherSinceStart(settings).then(
      (isOther) => {
        if (isOther) startAnew(upstream);
      },
      (error: unknown) => {
        // Not known is not approved.
        log.error({ upstream, error }, 'what a start fetched could not be looked at');
        startAnew(upstream);
      },
    );
  });
  return () => {
    stopDecisions();
    stopEvents();
  };
}
