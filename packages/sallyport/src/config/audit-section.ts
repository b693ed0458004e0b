import { resolve as resolvePath } from 'node:path';
import { z } from 'zod';

/** The record of who did what. */
export interface AuditSettings {
  /** `strict`: a call leaves when its record is on disk. `batched`: when it is in the file, which is synced within `withinMs`. */
  readonly mode: 'strict' | 'batched' | 'off';
  readonly withinMs: number;
  /** Absolute; `undefined`: `audit` in the state directory. */
  readonly directory: string | undefined;
  readonly segmentBytes: number;
  /** What of arguments and results is kept: keyed digests, or the values as well, with what looks like a secret masked. */
  readonly values: 'digest' | 'full';
  /** 0 = for ever. */
  readonly keepDays: number;
  /** Where heads are published: `file:` with an absolute path, `command:`, or a URL. */
  readonly anchor: string | undefined;
}

export const auditSchema = z.strictObject({
  mode: z
    .enum(['strict', 'batched', 'off'])
    .default('batched')
    .describe(
      'strict: a call leaves when its record is on disk. batched: a call leaves when its record is written to the file, and the file is on disk within withinMs, which costs next to nothing. off: there is no record.',
    ),
  withinMs: z
    .int()
    .min(10)
    .max(10_000)
    .default(100)
    .describe(
      'batched: a record is on disk this long after its call began, at the latest; where the disk is slower, calls wait for it. 100 ms: what a power cut may take.',
    ),
  directory: z
    .string()
    .min(1)
    .optional()
    .describe('Where the records are kept; relative paths start at this file. Left out: audit in the state directory.'),
  segmentBytes: z
    .int()
    .min(65_536)
    .max(268_435_456)
    .default(16_777_216)
    .describe('A new file is begun above this size. 16 MiB hold about 30,000 records.'),
  values: z
    .enum(['digest', 'full'])
    .default('digest')
    .describe(
      'What is kept of arguments, results, URIs and what a reason quotes of them. digest: a keyed digest each, because values hold secrets. full: the values too, up to 64 KiB each, with what looks like a secret masked.',
    ),
  keepDays: z
    .int()
    .min(0)
    .max(36_500)
    .default(365)
    .describe('Finished files are deleted after this many days, which is recorded too. 365; 0 = kept for ever.'),
  anchor: z
    .string()
    .regex(/^(?:file:.+|command:\s*\S.*|https?:\/\/[^\s/?#@]+(?:[/?#]\S*)?)$/, {
      error: 'expected file:<path>, command:<program> <arguments>, or an http:// or https:// URL without user name',
    })
    .optional()
    .describe(
      'Where the signed head of each chain is published, once a minute and at the end: file:<path> (a line is appended), command:<program> <arguments> (gets the line on its standard input, without a shell), or a URL (gets it as a POST). What was published finds files and database that were put back to an older state together. Left out: nowhere.',
    ),
});

/** What holds where the file says nothing. */
export const DEFAULT_AUDIT: AuditSettings = resolveAudit(auditSchema.parse({}), '/');

export function resolveAudit(written: z.output<typeof auditSchema>, directory: string): AuditSettings {
  const { anchor } = written;
  return {
    ...written,
    directory: written.directory === undefined ? undefined : resolvePath(directory, written.directory),
    anchor: anchor?.startsWith('file:') === true ? `file:${resolvePath(directory, anchor.slice(5))}` : anchor,
  };
}
