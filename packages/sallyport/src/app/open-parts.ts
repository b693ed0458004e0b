import { homedir } from 'node:os';
import { join } from 'node:path';
import { createMaskedValues } from '../call/masked-values.ts';
import { openCredentials } from '../call/open-credentials.ts';
import type { CallPorts } from '../call/ports.ts';
import { Scripts } from '../call/script/scripts.ts';
import { ToolIndexes } from '../catalog/search/tool-indexes.ts';
import type { Snapshot } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { ownSecrets } from '../core/own-secrets.ts';
import type { Principal } from '../core/principal.ts';
import { InFlight } from '../gateway/in-flight.ts';
import type { GatewayPorts } from '../gateway/ports.ts';
import { createSeal } from '../gateway/seal.ts';
import { toAccessPorts } from '../guard/access-ports.ts';
import { createChains } from '../guard/guard.ts';
import { createGuards } from '../guard/guards.ts';
import { openPolicyDoor } from '../guard/policy/policy-door.ts';
import { createSchemaChecker } from '../guard/schema/schema-checker.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { createReadThreads } from '../guard/threads/read-threads.ts';
import { createLateDatabase } from '../storage/late-database.ts';
import { createCallLog } from '../telemetry/call-log.ts';
import { createDestination } from '../telemetry/destination.ts';
import { createLog, type LogLevel } from '../telemetry/log.ts';
import { timeThread } from '../telemetry/thread-time.ts';
import { createTimedSend } from '../telemetry/timed-send.ts';
import { createNameResolver } from '../upstream/name-resolver.ts';
import { createOperatorPost } from '../upstream/operator-lookup.ts';
import { openEraFile } from './era-file.ts';
import { noteHeld } from './note-held.ts';
import { openCatalog } from './open-catalog.ts';
import { openControl } from './open-control.ts';
import { approvalsOf, createHiding, openDesk } from './open-desk.ts';
import { openKeptResults, openTexts } from './open-kept-results.ts';
import { openLargeResults } from './open-large-results.ts';
import { openLimits } from './open-limits.ts';
import { openPlans } from './open-plans.ts';
import { openRecord } from './open-record.ts';
import { openScan } from './open-scan.ts';
import { openSecrets } from './open-secrets.ts';
import { openShared } from './open-shared.ts';
import { openTaint } from './open-taint.ts';
import { openTaskOwners } from './open-task-owners.ts';
import { openTokenMeter } from './open-token-meter.ts';
import { openUpstreams } from './open-upstreams.ts';
import { createOwnTelemetry } from './own-telemetry.ts';
import { whyPageHeld } from './why-page-held.ts';

export interface AppOptions {
  readonly snapshot: Snapshot;
  readonly logLevel: LogLevel;
  /** One line per call on stderr. */
  readonly logCalls: boolean;
  /** Another form than JSON lines for stderr. */
  readonly presentLog?: ((lines: string) => string) | undefined;
}

/** The snapshot in force. */
export interface Current {
  snapshot: Snapshot;
  /** Whether a caller may still come in; left out while nobody comes from outside. */
  isCurrent?: (principal: Principal) => boolean;
  /** Whether a digest is that of a caller's key; left out while nobody comes with one. */
  isKey?: (digest: string) => boolean;
}

/** Every part, and how they are joined. Parts ask for the snapshot whenever they need it: it changes. */
export async function openParts(options: AppOptions, current: Current) {
  const { stateDir } = current.snapshot;
  const destination = createDestination({ present: options.presentLog });
  const log = createLog(options.logLevel, destination);
  const clock = systemClock;
  const eras = await openEraFile(stateDir, log);
  const database = createLateDatabase(join(stateDir, 'sallyport.db'));
  const basics = { database: database.get, texts: openTexts(stateDir), clock, log };
  const credentials = openCredentials({
    ...{ stateDir, env: process.env, ...basics },
    keyRef: () => current.snapshot.tokenKeyRef,
  });
  const { pins, upstreams, watchPrograms } = await openUpstreams({
    ...basics,
    snapshot: () => current.snapshot,
    eras: eras.store,
    createCredential: credentials.create,
  });
  const checker = createSchemaChecker({ timeThread });
  const { shared, sealKey, stop } = await openShared(current.snapshot, basics);
  const taint = openTaint(() => current.snapshot, log, shared);
  const policies = await openPolicyDoor({ clock, log, ...taint.marks }, current.snapshot);
  const { catalog, reportProblems, stopReporting } = openCatalog({
    ...{ stateDir, upstreams, checker, clock, log },
    access: policies.access,
    book: pins.book,
  });
  const stopPrograms = watchPrograms(catalog);
  const callLog = options.logCalls ? createCallLog(destination, clock) : { write() {} };
  const rateLimit = openLimits(basics);
  const post = createOperatorPost();
  const audit = await openRecord(current.snapshot, { ...basics, post });
  const stopHeld = noteHeld(pins.book, audit.noteKept, log);
  const [names, kept] = [createNameResolver(), openKeptResults(stateDir, basics)];
  const results = openLargeResults(stateDir, { ...basics, sealKey, catalog, checker, memory: taint.memory });
  const { scan, resources, keptResults } = openScan(() => current.snapshot, {
    ...{ ...basics, kept, note: audit.noteKept, names, post },
    definitionsOf: (upstream) => catalog.definitionsOf(upstream),
  });
  const secretPorts = openSecrets(() => current.snapshot, shared);
  const plans = openPlans(() => current.snapshot, taint.memory, shared);
  const threads = createReadThreads({
    ...{ scan, secrets: secretPorts.secrets, taint: taint.ports, timeThread },
    start: { printKey: taint.printKey, home: homedir() },
  });
  const chains = createChains(
    createGuards({
      ...secretPorts,
      ...{ plan: plans.plan, checker, rateLimit, scan, resources, taint: taint.ports, policy: policies.ports },
      ...toAccessPorts(snapshotOf),
      ownKeys: { secrets: ownSecrets, isKey: (digest) => current.isKey?.(digest) ?? false },
      unvalidated: (frozen) => snapshotOf(frozen).gateway.unvalidatedArguments,
      limits: (frozen) => snapshotOf(frozen).gateway.limits,
      whyHeld: (tool) => pins.book.whyHeld(tool),
      whyPageHeld: whyPageHeld(pins.book),
      asks: (frozen) => approvalsOf(snapshotOf(frozen)).asks,
      sampling: (frozen) => approvalsOf(snapshotOf(frozen)).sampling,
      reach: {
        areEnforced: policies.offers.areEnforced,
        async reaches({ snapshot, endpoint, client, upstream }) {
          return (await catalog.view(snapshotOf(snapshot), endpoint, client)).reaches(upstream);
        },
      },
    }),
    threads,
  );
  const desk = openDesk(() => current.snapshot, {
    ...basics,
    post,
    note: audit.noteKept,
    isCurrent: (principal) => current.isCurrent?.(principal) ?? true,
    ...{ hiding: createHiding(sealKey, secretPorts.secrets), hideLarge: threads.hide },
    // One request counts once, however often it is judged.
    guards: ({ kind, snapshot }) => chains(kind, snapshot).guards.filter(({ name }) => name !== 'rate-limit'),
  });
  const [inFlight, masked, scripts] = [new InFlight(), createMaskedValues(secretPorts.secrets), new Scripts()];
  const telemetry = createOwnTelemetry(() => current.snapshot, { log, upstreams, inFlight, post });
  const { metrics, tracer, metricsText } = telemetry;
  const calls: CallPorts = {
    upstreams: metrics === undefined ? upstreams : { ...upstreams, send: createTimedSend(upstreams, metrics) },
    metrics,
    tracer,
    chains,
    offers: policies.offers,
    desk,
    keptResults,
    ...{ largeResults: results.largeResults, taskOwners: openTaskOwners(basics) },
    handled: plans.toHandled(chains),
    toolIndexes: new ToolIndexes(),
    ...{ masked, scripts, tokenMeter: openTokenMeter(basics), callLog, audit, clock, log },
  };
  const control = openControl({
    ...{ upstreams, catalog, audit, desk, plan: plans.plan, kept, ...basics },
    snapshot: () => current.snapshot,
  });
  const ports: GatewayPorts = {
    ...calls,
    tasks: upstreams,
    catalog,
    snapshot: () => current.snapshot,
    seal: createSeal(Buffer.from(sealKey, 'hex')),
    inFlight,
    metricsText,
    control,
  };
  return {
    ...{ destination, database, log, clock, eras, credentials, upstreams, checker, threads },
    ...{ pins, policies, catalog, reportProblems, stopReporting, stopPrograms, stopHeld },
    memories: { close: () => taint.close().finally(stop) },
    ...{ audit, desk, scripts, telemetry, ports, control, results, quotas: rateLimit.quotas },
  };
}
