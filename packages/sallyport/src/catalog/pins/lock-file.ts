import { FaultError } from '../../core/errors.ts';
import { isObject, type JsonObject, member } from '../../core/json.ts';
import { isNameless, type LockedPins, PIN_KINDS, type PinKind, toItemName } from './pin.ts';

/** One item as a lock file names it. */
export interface LockedItem {
  readonly server: string;
  readonly kind: PinKind;
  readonly name: string;
  readonly digest: string;
}

/** What a lock file says. */
export interface LockFile extends LockedPins {
  readonly items: readonly LockedItem[];
  /** Server -> `npm:@scope/name@1.2.3`. */
  readonly packages: ReadonlyMap<string, string>;
}

const VERSION = 1;
const PREFIX = 'sha256:';
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The text of a lock file: sorted, so that a difference in a review is a difference in meaning. */
export function writeLockFile(items: readonly LockedItem[], packages: ReadonlyMap<string, string>): string {
  const servers = [...new Set([...items.map(({ server }) => server), ...packages.keys()])].sort();
  const entries = servers.map((server): [string, JsonObject] => {
    const own = items.filter((item) => item.server === server);
    const pairs = own.map((item): [string, string] => [toItemName(item.kind, item.name), PREFIX + item.digest]);
    pairs.sort(([one], [other]) => (one < other ? -1 : 1));
    const found = packages.get(server);
    return [server, { ...(found === undefined ? {} : { package: found }), items: Object.fromEntries(pairs) }];
  });
  return `${JSON.stringify({ version: VERSION, servers: Object.fromEntries(entries) }, undefined, 2)}\n`;
}

/** @throws FaultError `config`: a lock file that is read in part would approve by mistake. */
export function readLockFile(file: string, text: string): LockFile {
  const refuse = (why: string) =>
    new FaultError('config', `The lock file ${file} ${why}. Write it anew with: sallyport pin lock`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (_cause) {
    throw refuse('is no JSON');
  }
  if (member(value, 'version') !== VERSION) throw refuse(`is not of version ${VERSION}`);
  const servers = member(value, 'servers');
  if (!isObject(servers)) throw refuse('has no "servers"');
  const items: LockedItem[] = [];
  const packages = new Map<string, string>();
  for (const [server, entry] of Object.entries(servers)) {
    const named = member(entry, 'items');
    if (!isObject(named)) throw refuse(`has no "items" for ${JSON.stringify(server)}`);
    const found = member(entry, 'package');
    if (typeof found === 'string') packages.set(server, found);
    for (const [name, digest] of Object.entries(named)) {
      const item = toItem(name);
      if (item === undefined) throw refuse(`names ${JSON.stringify(name.slice(0, 100))}, which is no kind of item`);
      if (typeof digest !== 'string' || !DIGEST.test(digest))
        throw refuse(`has no digest for ${JSON.stringify(name.slice(0, 100))}`);
      items.push({ server, ...item, digest: digest.slice(PREFIX.length) });
    }
  }
  return { file, items, packages, digest: toLookUp(items) };
}

/** `tools/search`, `instructions` and the like, the other way round. */
export function toItem(name: string): { readonly kind: PinKind; readonly name: string } | undefined {
  const slash = name.indexOf('/');
  const kind = PIN_KINDS.find((one) => one === (isNameless(one) ? name : name.slice(0, slash)));
  if (kind === undefined) return undefined;
  return { kind, name: isNameless(kind) ? '' : name.slice(slash + 1) };
}

function toLookUp(items: readonly LockedItem[]): LockedPins['digest'] {
  const servers = new Map<string, Map<PinKind, Map<string, string>>>();
  for (const { server, kind, name, digest } of items) {
    const kinds = servers.get(server) ?? new Map<PinKind, Map<string, string>>();
    servers.set(server, kinds);
    const names = kinds.get(kind) ?? new Map<string, string>();
    kinds.set(kind, names);
    names.set(name, digest);
  }
  return (server, kind, name) => servers.get(server)?.get(kind)?.get(name);
}
