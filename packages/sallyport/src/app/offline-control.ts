import { join } from 'node:path';
import { askForItems } from '../call/offered-items.ts';
import { openCredentials } from '../call/open-credentials.ts';
import { DEFAULT_AUDIT } from '../config/audit-section.ts';
import type { ServerSettings, Snapshot } from '../config/settings.ts';
import type { ControlApi } from '../control/api.ts';
import { createControl } from '../control/control.ts';
import { systemClock } from '../core/clock.ts';
import { FaultError, toFault } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import type { Database } from '../storage/database.ts';
import { createLateDatabase } from '../storage/late-database.ts';
import type { OpenAudit } from '../telemetry/audit/audit.ts';
import { createDestination } from '../telemetry/destination.ts';
import { createLog } from '../telemetry/log.ts';
import { createOperatorPost } from '../upstream/operator-lookup.ts';
import { VERSION } from '../version.ts';
import { connectUpstreams } from './connect-upstreams.ts';
import { createInspection } from './inspect-definition.ts';
import { NOBODY } from './nobody.ts';
import { openKeptResults, openTexts } from './open-kept-results.ts';
import { openRecord } from './open-record.ts';
import { openRecordedCalls } from './recorded-calls.ts';

export interface OfflineOptions {
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The configuration as the file has it now; called when a route needs it. @throws FaultError `config`. */
  readonly snapshot: () => Snapshot;
  /** The same without servers, whatever is wrong with them. @throws FaultError `config`. */
  readonly sections: () => Snapshot;
  /** Left out: the one of the state directory. */
  readonly databaseFile?: string | undefined;
}

export interface OfflineControl {
  readonly control: ControlApi;
  /** Idempotent. */
  close(): Promise<void>;
}

/**
 * The API over the state directory where no Sallyport runs on it: the same routes, in this process. The database and
 * the audit are opened by the first request that needs them.
 */
export function openOfflineControl(options: OfflineOptions): OfflineControl {
  const { stateDir, snapshot, sections } = options;
  const destination = createDestination();
  const log = createLog('error', destination);
  const database = createLateDatabase(options.databaseFile ?? join(stateDir, 'sallyport.db'));
  let audit: Promise<OpenAudit> | undefined;
  const openAudit = (): Promise<OpenAudit> => {
    audit ??= openAuditOf(() =>
      openRecord(sections(), { database: database.get, post: createOperatorPost(), log, clock: systemClock }),
    );
    return audit;
  };
  const control = createControl(
    {
      upstreams: { status: () => undefined, restart: notRunning, onEvent: notRunning },
      catalog: { view: notRunning, reports: notRunning, tally: () => undefined, onChange: notRunning },
      recordedCalls: openRecordedCalls({ snapshot: sections, database: database.get }),
      version: VERSION,
      viewer: NOBODY,
      clock: systemClock,
      snapshot,
      sections,
      database: database.get,
      texts: openTexts(stateDir),
      kept: openKeptResults(stateDir, { database: database.get, clock: systemClock }),
      note: async (kind, members) => (await openAudit()).noteKept(kind, members),
      recording: () => ({ mode: (sections().audit ?? DEFAULT_AUDIT).mode, trouble: undefined, isPublished: true }),
      heard: () => undefined,
      plans: notRunning,
      inspection: createInspection(),
      offered: (servers, signal, programs) =>
        askOnce(servers, { ...options, database: database.get, signal, programs }),
    },
    log,
  );
  let closing: Promise<void> | undefined;
  return {
    control,
    close() {
      closing ??= (async () => {
        await (await audit?.catch(() => undefined))?.close();
        await database.close();
        await destination.close();
      })();
      return closing;
    },
  };
}

function notRunning(): never {
  throw new FaultError('unreachable', 'No Sallyport is running for this user. Start one with "sallyport up".');
}

/** What cannot be opened cannot be written: then nothing is changed either. */
async function openAuditOf(open: () => Promise<OpenAudit>): Promise<OpenAudit> {
  try {
    return await open();
  } catch (error) {
    const { message } = toFault(error);
    throw new FaultError('unrecorded', `The audit cannot be opened, so nothing was changed: ${message}`, {
      cause: error,
    });
  }
}

interface Asking {
  readonly database: () => Promise<Database>;
  readonly signal: AbortSignal;
  readonly programs: ReadonlyMap<string, string> | undefined;
}

/** Connections for the length of one request. */
async function askOnce(
  servers: readonly ServerSettings[],
  { stateDir, env, sections, database, signal, programs }: OfflineOptions & Asking,
) {
  const keyRef = () => sections().tokenKeyRef;
  const credentials = openCredentials({
    ...{ stateDir, keyRef, env },
    clock: systemClock,
    log: silentLog,
    database,
  });
  const connected = connectUpstreams(servers, { createCredential: credentials.create, stateDir });
  try {
    return await askForItems(servers, { upstreams: connected.port, client: NOBODY, signal, programs });
  } finally {
    await connected.close();
    await credentials.close();
  }
}
