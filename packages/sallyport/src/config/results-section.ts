import { z } from 'zod';
import { matchesGlob } from '../core/glob.ts';
import type { Path } from './parse-file.ts';

/** The most that a client is given of one result. */
export interface ResultBudget {
  /** Of what a model reads, in UTF-16 units; 0: no limit. */
  readonly characters: number;
  /** Estimated; 0: characters alone count. */
  readonly tokens: number;
  /** Of one image, sound or file, decoded; 0: no limit. */
  readonly binaryBytes: number;
}

export interface ResultRule extends ResultBudget {
  /** Patterns; `undefined`: all. */
  readonly client: string | undefined;
  readonly bundle: string | undefined;
  readonly server: string | undefined;
  readonly tool: string | undefined;
}

export interface ArtifactSettings {
  readonly store: 'files' | 'database';
  readonly encrypted: boolean;
  readonly keepMinutes: number;
  readonly maxMb: number;
}

/** The section `results`, resolved. */
export interface ResultSettings extends ResultBudget {
  /** The first that matches decides; none: the section itself does. */
  readonly rules: readonly ResultRule[];
  readonly artifacts: ArtifactSettings;
}

/** Less would hold no more than the words that say what was left out. */
const SMALLEST = 2_000;
const MAX_RULES = 256;

function limit(smallest: number, largest: number) {
  const error = `expected 0, or ${smallest} to ${largest}`;
  return z
    .int({ error })
    .min(0, { error })
    .max(largest, { error })
    .refine((value) => value === 0 || value >= smallest, { error });
}

const characters = limit(SMALLEST, 100_000_000);
const tokens = limit(500, 100_000_000);
const binaryBytes = limit(SMALLEST, 1_073_741_824);
const pattern = z.string().min(1).max(256);

export const resultsSchema = z.strictObject({
  characters: characters
    .default(400_000)
    .describe(
      'The most characters of one result that a client is given, of its content and of its structured content each; 0: no limit. 400,000, which is half of a context of 200,000 tokens: honest results below it stay as they are. 25,000 suits a client whose context is small.',
    ),
  tokens: tokens
    .default(0)
    .describe(
      'The same in estimated tokens; what is reached first counts. 0: characters alone count, which are exact.',
    ),
  binaryBytes: binaryBytes
    .default(5_242_880)
    .describe(
      'The largest image, sound or file in a result, decoded; a larger one becomes a link. 0: no limit. 5 MiB: common model APIs refuse larger images.',
    ),
  rules: z
    .array(
      z.strictObject({
        client: pattern
          .optional()
          .describe(
            'A client by the name that it gives itself, or its credential has; * stands for any characters, ? for one.',
          ),
        bundle: pattern.optional().describe('A bundle; * and ? as above.'),
        server: pattern.optional().describe('A server by its name here; * and ? as above.'),
        tool: pattern.optional().describe('A tool by its own name at the server; * and ? as above.'),
        characters: characters.optional().describe('Left out: as in the section.'),
        tokens: tokens.optional().describe('Left out: as in the section.'),
        binaryBytes: binaryBytes.optional().describe('Left out: as in the section.'),
      }),
    )
    .max(MAX_RULES)
    .default([])
    .describe('Other limits for some clients, bundles, servers or tools; the first that matches decides.'),
  artifacts: z
    .strictObject({
      store: z
        .enum(['files', 'database'])
        .default('files')
        .describe(
          'Where the bytes of large results are. files: in the folder artifacts of the state directory, which costs the database nothing. database: in its rows, where processes share a database and no disk.',
        ),
      encrypted: z
        .boolean()
        .default(true)
        .describe(
          'true: under the key of the state directory, since results hold private data. false: as they are, readable by the user of Sallyport only.',
        ),
      keepMinutes: z
        .int()
        .min(1)
        .max(43_200)
        .default(1_440)
        .describe('How long an artifact can be read. 1,440: a conversation that goes on the next morning still can.'),
      maxMb: z
        .int()
        .min(1)
        .max(1_048_576)
        .default(1_024)
        .describe(
          'All artifacts together, in MiB. The oldest of a caller make room for its new ones, and one caller gets seven eighths at most. 1,024: twenty of 50 MB.',
        ),
    })
    .prefault({})
    .describe('Where the rest of a result goes that was too large.'),
});

export type WrittenResults = z.output<typeof resultsSchema>;

export const DEFAULT_RESULTS: ResultSettings = Object.freeze(toSettings(resultsSchema.parse({})));

/** @param names of the file: a rule for another one would never hold */
export function resolveResults(
  written: WrittenResults,
  names: { readonly servers: readonly string[]; readonly bundles: readonly string[] },
  report: (path: Path, message: string) => void,
): ResultSettings {
  written.rules.forEach(({ server, bundle }, index) => {
    if (server !== undefined && !names.servers.some((one) => matchesGlob(server, one)))
      report(['rules', index, 'server'], 'matches no server of this file, so the rule would do nothing');
    if (bundle !== undefined && !names.bundles.some((one) => matchesGlob(bundle, one)))
      report(['rules', index, 'bundle'], 'matches no bundle of this file, so the rule would do nothing');
  });
  return toSettings(written);
}

function toSettings({ rules, ...section }: WrittenResults): ResultSettings {
  const { characters, tokens, binaryBytes } = section;
  return {
    ...section,
    rules: rules.map((rule) => ({
      client: rule.client,
      bundle: rule.bundle,
      server: rule.server,
      tool: rule.tool,
      characters: rule.characters ?? characters,
      tokens: rule.tokens ?? tokens,
      binaryBytes: rule.binaryBytes ?? binaryBytes,
    })),
  };
}

/** Whose result it is. */
export interface ResultOf {
  /** Names of the client: its own, and that of its credential. */
  readonly clients: readonly string[];
  readonly bundle: string | undefined;
  readonly server: string;
  readonly tool: string;
}

export function budgetFor(settings: ResultSettings, { clients, bundle, server, tool }: ResultOf): ResultBudget {
  for (const rule of settings.rules) {
    if (rule.client !== undefined && !clients.some((name) => matchesGlob(rule.client ?? '', name))) continue;
    if (rule.bundle !== undefined && (bundle === undefined || !matchesGlob(rule.bundle, bundle))) continue;
    if (rule.server !== undefined && !matchesGlob(rule.server, server)) continue;
    if (rule.tool !== undefined && !matchesGlob(rule.tool, tool)) continue;
    return rule;
  }
  return settings;
}
