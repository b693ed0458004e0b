import { isGlob, matchesGlob } from '../core/glob.ts';
import { fromStep } from '../core/json-pointer.ts';
import type { WrittenAllow, WrittenBindings, WrittenBundles, WrittenDeny, WrittenSinks } from './access-schema.ts';
import type {
  AllowEntry,
  BindingSettings,
  BundleSettings,
  BundleTool,
  Reference,
  ServerAccess,
  SinkSettings,
} from './access-settings.ts';
import { nearestName } from './nearest-name.ts';

type Report = (path: readonly (string | number)[], message: string) => void;

/** What a server's entry says of who may see what; `undefined` where it says nothing. */
export function resolveServerAccess(written: {
  readonly allow?: WrittenAllow | undefined;
  readonly deny?: WrittenDeny | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly shared: boolean;
  readonly readOnlyTools?: readonly string[] | undefined;
}): ServerAccess | undefined {
  const { allow, deny, groups, shared, readOnlyTools } = written;
  if (allow === undefined && deny === undefined && groups === undefined && !shared && readOnlyTools === undefined)
    return undefined;
  const entries = (list: WrittenAllow['tools']): readonly AllowEntry[] | undefined =>
    list?.map((one) => (typeof one === 'string' ? { match: one, groups: undefined } : one));
  return {
    allow: { tools: entries(allow?.tools), resources: entries(allow?.resources), prompts: entries(allow?.prompts) },
    deny: { tools: deny?.tools ?? [], resources: deny?.resources ?? [], prompts: deny?.prompts ?? [] },
    groups,
    shared,
    readOnlyTools: readOnlyTools ?? [],
  };
}

/** The bundles by name. What can never match is a mistake: it would look like a selection and be none. */
export function resolveBundles(
  written: WrittenBundles,
  servers: readonly string[],
  report: Report,
): ReadonlyMap<string, BundleSettings> {
  const bundles = new Map<string, BundleSettings>();
  for (const [name, bundle] of Object.entries(written)) {
    const read = (kind: string, texts: readonly string[]): Reference[] =>
      texts.flatMap((text, i) => toReference(text, servers, (message) => report(['bundles', name, kind, i], message)));
    const tools = bundle.tools.flatMap((one, i): BundleTool[] => {
      const given = typeof one === 'string' ? { tool: one, name: undefined, description: undefined } : one;
      const say = (message: string) => report(['bundles', name, 'tools', i], message);
      if (given.name !== undefined && isGlob(given.tool)) {
        say('gives one name to all that a pattern finds; name one tool, or leave the name out');
        return [];
      }
      return toReference(given.tool, servers, say).map((reference) => ({
        ...reference,
        name: given.name,
        description: given.description,
      }));
    });
    reportCollisions(tools, (i, message) => report(['bundles', name, 'tools', i], message));
    const { title, description, instructions, groups } = bundle;
    bundles.set(name, {
      ...{ name, title, description, instructions, tools, groups },
      resources: read('resources', bundle.resources),
      prompts: read('prompts', bundle.prompts),
    });
  }
  return bundles;
}

function reportCollisions(tools: readonly BundleTool[], report: (index: number, message: string) => void): void {
  const taken = new Map<string, BundleTool>();
  for (const [i, tool] of tools.entries()) {
    if (tool.name === undefined) continue;
    const first = taken.get(tool.name);
    if (first === undefined) taken.set(tool.name, tool);
    else
      report(
        i,
        `"${first.server}.${first.item}" and "${tool.server}.${tool.item}" would both be "${tool.name}"; rename one`,
      );
  }
}

/** Server names may hold dots: the longest configured one that fits counts, else what stands before the first dot. */
function toReference(text: string, servers: readonly string[], report: (message: string) => void): Reference[] {
  const exact = servers
    .filter((server) => text.startsWith(`${server}.`) && text.length > server.length + 1)
    .sort((a, b) => b.length - a.length)[0];
  if (exact !== undefined) return [{ server: exact, item: text.slice(exact.length + 1) }];
  const dot = text.indexOf('.');
  const server = text.slice(0, dot);
  if (isGlob(server) && servers.some((one) => matchesGlob(server, one))) return [{ server, item: text.slice(dot + 1) }];
  const near = nearestName(server, servers);
  report(`names no server of this file${near === undefined ? '' : `; did you mean "${near}"?`}`);
  return [];
}

export function resolveSinks(written: WrittenSinks, servers: readonly string[], report: Report): SinkSettings {
  const overrides = Object.entries(written.overrides).flatMap(([text, sinks]) =>
    toReference(text, servers, (message) => report(['sinks', 'overrides', text], message)).map((one) => ({
      ...one,
      sinks,
    })),
  );
  // The entries of a record checked against the classes; typed as such by the schema.
  return { floor: new Map(Object.entries(written.floor)) as SinkSettings['floor'], overrides };
}

export function resolveBindings(
  written: WrittenBindings,
  servers: readonly string[],
  report: Report,
): readonly BindingSettings[] {
  return written.map(({ argument, attribute, ...rest }, i) => {
    if (!servers.includes(rest.upstream)) {
      const near = nearestName(rest.upstream, servers);
      report(
        ['bindings', i, 'upstream'],
        `no server of this file${near === undefined ? '' : `; did you mean "${near}"?`}`,
      );
    }
    const path = toPath(argument, (message) => report(['bindings', i, 'argument'], message));
    return { ...rest, tools: rest.tools, path, attributes: typeof attribute === 'string' ? [attribute] : attribute };
  });
}

/** A pointer is one of RFC 6901, without indexes: a binding that looks at one element of a list leaves the others open. */
function toPath(argument: string | readonly string[], report: (message: string) => void): readonly string[] {
  if (typeof argument !== 'string') return argument;
  if (!argument.startsWith('/')) return argument.split('.');
  const steps = argument.slice(1).split('/');
  if (steps.some((step) => step === '' || step === '-' || /^\d+$/.test(step)))
    report(
      'leads to nothing, or to one element of a list; lists are looked at element by element, so leave the index out',
    );
  if (/~(?![01])/.test(argument)) report('writes ~ otherwise than as ~0, and / inside a name as ~1 (RFC 6901)');
  return steps.map(fromStep);
}
