import { FaultError, toFault } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Command, Input, Output } from './command.ts';
import { type ListRules, listItems, type Refused, TOOL_ERROR, toRefusal } from './list-items.ts';
import { type Session, withSessions } from './open-session.ts';
import { SESSION_FLAGS, splitTarget } from './resolve-target.ts';
import { toTable } from './to-table.ts';

/** What makes `tool list`, `resource list` and `prompt list` different. */
export interface ListCommand {
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  readonly lists: readonly ListRules[];
  readonly headings: readonly string[];
  toRow(item: JsonObject): readonly string[];
}

/** Servers asked at the same time: each may start a process. */
const AT_ONCE = 8;

/** A command that lists something of one server or, without a target, of all servers of the configuration. */
export function defineListCommand(definition: ListCommand): Command {
  return {
    name: definition.name,
    summary: definition.summary,
    example: definition.example,
    words: [
      ['[target]', 'a URL, a file, a saved server or a command after --; left out: all servers of the configuration'],
    ],
    options: SESSION_FLAGS,
    dashes: 'target',
    run: (input) => withSessions(input, splitTarget(input).target, (sessions) => listAll(definition, sessions, input)),
  };
}

async function listAll(definition: ListCommand, sessions: readonly Session[], input: Input): Promise<Output> {
  if (sessions.length === 0) {
    throw new FaultError(
      'usage',
      'There are no servers. "sallyport server add" or "sallyport import" adds some, or name a target.',
    );
  }
  const found = await listServers(definition.lists, sessions);
  const refused = found.find(({ refused }) => refused !== undefined)?.refused;
  if (sessions.length === 1 && refused !== undefined) return toRefusal(refused);
  return toOutput(definition, found, input);
}

/** The lists of some servers. @throws FaultError of the connection where there is only one server */
export async function listServers(
  lists: readonly ListRules[],
  sessions: readonly Session[],
): Promise<readonly ServerLists[]> {
  const found: ServerLists[] = [];
  for (let i = 0; i < sessions.length; i += AT_ONCE) {
    const some = sessions.slice(i, i + AT_ONCE);
    found.push(...(await Promise.all(some.map((session) => listOne(lists, session, sessions.length > 1)))));
  }
  return found;
}

/** What one server lists, by the key of the list, or why it does not. */
export interface ServerLists {
  readonly server: string;
  readonly lists: ReadonlyMap<string, readonly JsonObject[]>;
  readonly refused: Refused | undefined;
  readonly fault: FaultError | undefined;
}

/** With several servers, the trouble of one does not hide the others. */
async function listOne(rulesOf: readonly ListRules[], session: Session, goOn: boolean): Promise<ServerLists> {
  const { server } = session;
  const lists = new Map<string, readonly JsonObject[]>();
  try {
    for (const rules of rulesOf) {
      const listed = await listItems(session, rules);
      if (listed.kind === 'refused') return { server, lists, refused: listed.error, fault: undefined };
      lists.set(rules.key, listed.items);
    }
    return { server, lists, refused: undefined, fault: undefined };
  } catch (error) {
    const fault = toFault(error);
    if (!goOn || fault.code === 'cancelled' || fault.code === 'internal') throw error;
    return { server, lists, refused: undefined, fault };
  }
}

function toOutput(definition: ListCommand, found: readonly ServerLists[], { terminal }: Input): Output {
  const several = found.length > 1;
  const { failed, remarks, exit } = toFailures(found);
  const all = definition.lists.map(({ key }): [string, Json] => [
    key,
    found.flatMap(({ server, lists }) => (lists.get(key) ?? []).map((item) => ({ ...item, server }))),
  ]);
  const rows = found.flatMap(({ server, lists }) =>
    [...lists.values()].flat().map((item) => [...(several ? [server] : []), ...definition.toRow(item)]),
  );
  const headings = several ? ['server', ...definition.headings] : definition.headings;
  return {
    value: { ...Object.fromEntries(all), ...(failed.length === 0 ? {} : { failed }) },
    text:
      rows.length === 0
        ? ''
        : toTable(headings, rows, terminal.stdout.isTTY === true ? (terminal.stdout.columns ?? 0) : 0, { lines: 2 }),
    remarks: [...remarks, ...(rows.length === 0 && failed.length === 0 ? ['Nothing to list.'] : [])],
    exit,
  };
}

/** The servers that listed nothing, for programs and for people, and the exit code that says so. */
export function toFailures(found: readonly ServerLists[]): {
  readonly failed: readonly JsonObject[];
  readonly remarks: readonly string[];
  readonly exit: number;
} {
  const failures = found.flatMap(({ server, fault, refused }) => {
    const error = fault ?? refused;
    return error === undefined ? [] : [{ server, error: { code: error.code, message: error.message } }];
  });
  const worst = found.find(({ fault }) => fault !== undefined)?.fault?.failure.exit;
  return {
    failed: failures,
    remarks: failures.map(({ server, error }) => `${server}: ${error.message}`),
    exit: worst ?? (failures.length > 0 ? TOOL_ERROR : 0),
  };
}
