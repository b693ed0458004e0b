import { z } from 'zod';
import { matchesGlob } from '../core/glob.ts';
import type { PolicySettings } from './policy-section.ts';
import { type ResourceSettings, resolveResources, resourcesSchema } from './resources-section.ts';

/** What is done about definitions: `hold` those with a finding of the block tier, only `show` findings, or do not look. */
export type DefinitionScan = 'hold' | 'show' | 'off';
/**
 * What is done about results and other texts with findings: `warn` puts one text item before them, `clean` rewrites the
 * spans with a finding as well, `quarantine` withholds the block tier, `show` only notes, `off` does not look.
 */
export type ResultScan = 'warn' | 'clean' | 'quarantine' | 'show' | 'off';
/** `by-source`: `quarantine` for servers that carry other people's text, `warn` for the rest. No setting names it. */
export type ResultMode = ResultScan | 'by-source';

/** What holds for one server. */
export interface ServerScan {
  readonly definitions: DefinitionScan;
  readonly results: ResultMode;
  /** The model is warned of every text, whatever is found in it. */
  readonly untrusted: boolean;
  readonly resources: ResourceSettings;
}

/** A program that is asked about texts of the review tier. */
export interface JudgeSettings {
  readonly url: string;
  readonly timeoutMs: number;
}

export interface ScanSettings extends Omit<ServerScan, 'untrusted'> {
  /** Patterns of servers: nothing of theirs is scanned, and of tools that fit about as well theirs are found first. */
  readonly trusted: readonly string[];
  /** Patterns of servers. */
  readonly untrusted: readonly string[];
  readonly keepHours: number;
  readonly servers: Readonly<Record<string, Partial<Omit<ServerScan, 'resources'>> & { resources?: ResourceSettings }>>;
  readonly judge?: JudgeSettings | undefined;
}

const globs = (what: string) => z.array(z.string().min(1).max(64)).max(1_000).describe(what);

const definitions = z
  .enum(['hold', 'show', 'off'])
  .describe(
    'hold: a definition with a finding of the block tier is quarantined until a person approves it. show: findings are listed. off: definitions are not read.',
  );
const results = z
  .enum(['warn', 'clean', 'quarantine', 'show', 'off'])
  .describe(
    'What is done with a result that has findings. warn: it stays as it is, and one text item before it warns the model. clean: the spans with a finding are rewritten as well, and that item lists every change. quarantine: a result with a finding of the block tier is withheld until a person releases it. show: findings are noted in _meta only. off: results are not read.',
  );
export const scanSchema = z.strictObject({
  definitions: definitions
    .default('hold')
    .describe(`${definitions.description} hold, because no honest definition says such things.`),
  results: results
    .optional()
    .describe(
      `${results.description} Left out: warn, because honest texts quote attacks; with policy.set team or locked quarantine for servers that carry other people's text (web, mail, tickets, chat, shared documents), and warn for the rest.`,
    ),
  trusted: globs(
    'Servers of which nothing is scanned, and whose tools come first in find_tools where others fit about as well; * stands for any characters, ? for one.',
  ).default([]),
  untrusted: globs(
    'Servers whose every result begins with an item that warns the model, e.g. ["*"]; * and ? as above. Empty, because warnings cost tokens: the model is warned when something is found.',
  ).default([]),
  keepHours: z
    .int()
    .min(1)
    .max(720)
    .default(24)
    .describe('How long a result stays in quarantine for a person to look at. 24: the next working day.'),
  resources: resourcesSchema
    .optional()
    .describe(
      'Where resources, and links to them, may lead, and what they may hold. Written, or with policy.set locked, it also holds for links and contents in results; left out, those are only noted there.',
    ),
  servers: z
    .record(
      z.string().min(1).max(64),
      z.strictObject({
        definitions: definitions.optional(),
        results: results.optional(),
        untrusted: z
          .boolean()
          .optional()
          .describe('Every result of this server begins with an item that warns the model.'),
        resources: resourcesSchema
          .optional()
          .describe('Where its resources, and its links, may lead, and what they may hold.'),
      }),
    )
    .default({})
    .describe('What holds instead for single servers, by their names here.'),
  judge: z
    .strictObject({
      url: z
        .string()
        .regex(/^https?:\/\/[^\s/?#@]+(?:[/?#]\S*)?$/, {
          error: 'expected an http:// or https:// URL without user name',
        })
        .describe('Gets a POST with the text and what was found; answers {"suspicious": true or false}.'),
      timeoutMs: z.int().min(1).max(1_500).default(1_000).describe('What comes later says nothing.'),
    })
    .optional()
    .describe(
      'A model of yours that is asked about results, resources and prompts of the review tier. It can raise them to the block tier and clear nothing. Left out: nobody is asked.',
    ),
});

/** What holds where the file says nothing. */
export const DEFAULT_SCAN: ScanSettings = Object.freeze(toSettings(scanSchema.parse({}), undefined));

/**
 * @param written `undefined`: nothing
 * @param from names that stand in the file, since a rule for another one would never hold; the starter set of the policies
 */
export function resolveScan(
  written: z.output<typeof scanSchema> | undefined,
  { servers, set }: { readonly servers: readonly string[]; readonly set: PolicySettings['set'] },
  report: (path: readonly string[], message: string) => void,
): ScanSettings {
  if (written === undefined) return toSettings(scanSchema.parse({}), set);
  for (const list of ['trusted', 'untrusted'] as const)
    for (const glob of written[list])
      if (!servers.some((server) => matchesGlob(glob, server)))
        report([list], `"${glob}" matches no server of this file, so it would do nothing`);
  for (const name of Object.keys(written.servers))
    if (!servers.includes(name)) report(['servers', name], 'there is no server of this name in this file');
  return toSettings(written, set);
}

function toSettings(
  { resources: written, results, servers, judge, ...rest }: z.output<typeof scanSchema>,
  set: PolicySettings['set'],
): ScanSettings {
  return {
    ...rest,
    results: results ?? (set === 'team' || set === 'locked' ? 'by-source' : 'warn'),
    resources: resolveResources(written, set),
    servers: Object.fromEntries(
      Object.entries(servers).map(([name, { resources: own, ...one }]) => [
        name,
        {
          ...one,
          ...(own === undefined ? {} : { resources: resolveResources(own, set, `scan.servers.${name}.resources`) }),
        },
      ]),
    ) as ScanSettings['servers'], // zod writes members that are left out as possibly undefined; they are absent
    ...(judge === undefined ? {} : { judge }),
  };
}

const OFF: Pick<ServerScan, 'definitions' | 'results' | 'untrusted'> = {
  definitions: 'off',
  results: 'off',
  untrusted: false,
};

const byServer = new WeakMap<ScanSettings, Map<string, ServerScan>>();

/** What holds for one server: the same object for the same settings, so that asking per call costs a look-up. */
export function scanOf(settings: ScanSettings, server: string): ServerScan {
  let known = byServer.get(settings);
  if (known === undefined) {
    known = new Map();
    byServer.set(settings, known);
  }
  let found = known.get(server);
  if (found === undefined) {
    found = merge(settings, server);
    known.set(server, found);
  }
  return found;
}

/** Whether the operator trusts this server. */
export function isTrusted({ trusted }: Pick<ScanSettings, 'trusted'>, server: string): boolean {
  return trusted.some((glob) => matchesGlob(glob, server));
}

function merge(settings: ScanSettings, server: string): ServerScan {
  const own = Object.hasOwn(settings.servers, server) ? settings.servers[server] : undefined;
  const general = {
    definitions: settings.definitions,
    results: settings.results,
    untrusted: settings.untrusted.some((glob) => matchesGlob(glob, server)),
    ...(isTrusted(settings, server) ? OFF : {}),
  };
  return {
    definitions: own?.definitions ?? general.definitions,
    results: own?.results ?? general.results,
    untrusted: own?.untrusted ?? general.untrusted,
    resources: own?.resources ?? settings.resources,
  };
}
