import { createHash } from 'node:crypto';
import { type LockedItem, readLockFile, writeLockFile } from '../catalog/pins/lock-file.ts';
import { FIRST_SIGHT, toItemName } from '../catalog/pins/pin.ts';
import { pinsOf } from '../config/pins-section.ts';
import { DEFAULT_SCAN, scanOf } from '../config/scan-section.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import { loadLockFile } from '../storage/open-pins.ts';
import { writeFileAtomically } from '../storage/write-file.ts';
import { compareOffered, comparePackages, type Expected, programsOf } from './compare-offered.ts';
import { holdOffered } from './hold-offered.ts';
import { type KnownPin, readPins } from './known-pins.ts';
import { packagesOf, warnOfPackages } from './packages-of.ts';
import { toBy } from './people.ts';
import type { ControlPorts } from './ports.ts';
import { recorded } from './recorded.ts';
import { objectOf, type Route, TEXT, TEXTS } from './route.ts';

/** All servers may be asked for this long in all. Milliseconds. */
const ASK_MS = 150_000;

/** The lock file, and whether servers offer what it names. */
export function pinLockRoutes(ports: ControlPorts): readonly Route[] {
  return [lockRoute(ports), verifyRoute(ports)];
}

function lockRoute(ports: ControlPorts): Route {
  const { note, offered, snapshot, sections } = ports;
  return {
    method: 'POST',
    path: '/pins/lock',
    id: 'lockPins',
    summary: 'Makes the lock file that mode locked and verifying go by, and writes it where pins.lockFile says',
    role: 'operator',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: {
        offered: { type: 'boolean', description: 'Lock what servers offer now instead of what was approved.' },
        withFindings: {
          type: 'boolean',
          description: 'Lock also what reading holds and no person approved; otherwise it is left out.',
        },
        write: { type: 'boolean', description: 'false: only return the text.', default: true },
      },
    },
    result: objectOf({
      file: { type: ['string', 'null'], description: 'Where it was written.' },
      definitions: { type: 'integer' },
      text: { type: 'string', description: 'What stands in it.' },
      warnings: TEXTS,
      bare: { ...TEXTS, description: 'Servers of which nothing is approved.' },
      left: { ...TEXTS, description: 'server/item: left out for what reading it found.' },
    }),
    handle: async ({ body, principal }) => {
      const servers = [...snapshot().servers.values()];
      const names = new Set(servers.map(({ name }) => name));
      const asked = member(body, 'offered') === true;
      const { known } = await readPins(ports);
      const programs = looksAtPrograms(ports) ? new Map<string, string>() : undefined;
      const found = asked ? await offered(servers, AbortSignal.timeout(ASK_MS), programs) : [];
      const { scan = DEFAULT_SCAN } = sections();
      const isHeld = (server: string) => scanOf(scan, server).definitions === 'hold';
      const approved = approvedOf(known, names, isHeld);
      const read = found.filter(({ server }) => isHeld(server));
      const left = member(body, 'withFindings') === true ? [] : holdOffered(read, known, ports.inspection);
      const items = asked
        ? [
            ...whole(found).filter((item) => !left.includes(item)),
            // Pages stand in no list: what was approved when they were read is all there is to lock.
            ...approved.filter(({ kind }) => kind === 'ui'),
          ]
        : approved;
      if (items.length === 0)
        throw new FaultError(
          'usage',
          'Nothing is approved yet. Start Sallyport and approve, or lock what the servers offer now with --offered.',
        );
      const packages = packagesOf(servers);
      const text = writeLockFile(items, packages);
      const file = member(body, 'write') === false ? null : pinsOf(sections()).lockFile;
      if (file !== null) {
        const digest = createHash('sha256').update(text).digest('hex');
        const record = {
          kind: 'pin_lock',
          ...toBy(principal),
          file,
          digest,
          definitions: items.length,
          offered: asked,
        };
        await recorded(note, record, async () => writeFileAtomically(file, text));
      }
      const bare = [...names].filter((name) => !items.some(({ server }) => server === name));
      return {
        file,
        definitions: items.length,
        text,
        warnings: [...warnOfPackages(packages)],
        bare,
        left: left.map(nameOf),
      };
    },
  };
}

function nameOf({ server, kind, name }: LockedItem): string {
  return `${server}/${toItemName(kind, name)}`;
}

function approvedOf(
  known: readonly KnownPin[],
  servers: ReadonlySet<string>,
  isHeld: (server: string) => boolean,
): readonly LockedItem[] {
  return known.flatMap(({ pin: { server, kind, name, approved, approvedBy, rejected, found } }): LockedItem[] => {
    if (approved === undefined || approved.digest === rejected || !servers.has(server)) return [];
    // First sight approved it, and reading found it bad since: nobody agreed to it, whatever the mode is by now.
    const isBad = found?.digest === approved.digest && found.hold !== undefined && isHeld(server);
    if (approvedBy === FIRST_SIGHT && isBad) return [];
    return [{ server, kind, name, digest: approved.digest }];
  });
}

function whole(offered: Awaited<ReturnType<ControlPorts['offered']>>): readonly LockedItem[] {
  const silent = offered.find(({ fault }) => fault !== undefined);
  // A lock file that lacks a server would switch it off.
  if (silent?.fault !== undefined) throw new FaultError(silent.fault.code, `${silent.server}: ${silent.fault.message}`);
  return offered.flatMap(({ items }) => items);
}

function verifyRoute(ports: ControlPorts): Route {
  const { offered, snapshot } = ports;
  return {
    method: 'POST',
    path: '/pins/verify',
    id: 'verifyPins',
    summary: 'Asks the servers what they offer, and compares it with a lock file or with what was approved',
    role: 'operator',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: {
        lock: {
          type: 'string',
          description: 'The text of a lock file. Left out: pins.lockFile in mode locked, else what was approved.',
        },
      },
    },
    result: objectOf({
      matches: { type: 'boolean' },
      definitions: { type: 'integer', description: 'Offered now.' },
      differences: {
        type: 'array',
        items: objectOf({
          server: TEXT,
          item: TEXT,
          problem: { enum: ['changed', 'new', 'missing', 'unreachable', 'package'] },
        }),
      },
      warnings: TEXTS,
    }),
    handle: async ({ body }) => {
      const servers = [...snapshot().servers.values()];
      const lock = member(body, 'lock');
      const expected = await expectedOf(ports, typeof lock === 'string' ? lock : undefined);
      const packages = packagesOf(servers);
      const programs = looksAtPrograms(ports) ? programsOf(expected) : undefined;
      const found = await offered(servers, AbortSignal.timeout(ASK_MS), programs);
      const differences = [
        ...comparePackages(expected.packages, packages, new Set(servers.map(({ name }) => name))),
        ...found.flatMap((one) => compareOffered(one, expected)),
      ];
      return {
        matches: differences.length === 0,
        definitions: found.reduce((sum, { items }) => sum + items.length, 0),
        differences: differences.map((one) => ({ ...one })),
        warnings: [...warnOfPackages(packages)],
      };
    },
  };
}

function looksAtPrograms({ sections }: ControlPorts): boolean {
  return pinsOf(sections()).programs !== false;
}

async function expectedOf(ports: ControlPorts, lock: string | undefined): Promise<Expected> {
  if (lock !== undefined) return { ...readLockFile('that was sent', lock), isWhole: true };
  const { mode, lockFile } = pinsOf(ports.sections());
  if (mode === 'locked') return { ...(await loadLockFile(lockFile)), isWhole: true };
  const { known } = await readPins(ports);
  const items = known.flatMap(({ pin: { server, kind, name, approved } }) =>
    approved === undefined ? [] : [{ server, kind, name, digest: approved.digest }],
  );
  return { items, packages: new Map(), isWhole: false };
}
