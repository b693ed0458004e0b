import { z } from 'zod';
import type { PolicySettings } from './policy-section.ts';

/** Where a resource, or a link to one, may lead, and what its contents may be. */
export interface ResourceSettings {
  /** Where they stand in the file, for whoever is told what to change. */
  readonly key: string;
  /**
   * The operator wrote them, or chose the set that holds results to them: links and contents in results that they forbid
   * are taken out. Otherwise those are only noted, and the rules hold for what is read.
   */
  readonly inResults: boolean;
  /** Without the colon, in lower case; `undefined`: all but those that run or carry something themselves. */
  readonly schemes: readonly string[] | undefined;
  /** Patterns of host names; `undefined`: every public one. */
  readonly hosts: readonly string[] | undefined;
  /** What becomes of a scheme or host that is not among them. */
  readonly unlisted: 'allow' | 'ask' | 'deny';
  /** Whether addresses of this machine and of private networks may be named. */
  readonly private: boolean;
  /** Names of hosts are judged as `text`, by where they lead (`resolve`), or must have an answer as well (`require`). */
  readonly names: 'text' | 'resolve' | 'require';
  /** Of one text, and of one blob after decoding. */
  readonly maxBytes: number;
  /** Patterns of media types: programs of these may be handed out. */
  readonly programs: readonly string[];
}

const MIB = 1_048_576;

/** As a URL is read: without port, names beyond ASCII as xn--…, addresses of IPv6 in brackets. */
const HOST = /^(?:[\w.*?-]*[\w*?-]|\[[\da-fA-F:.*?]+\])$/;
/** Their content runs where it is opened: no setting allows them. */
export const RUNNING_SCHEMES: readonly string[] = ['javascript', 'vbscript'];

export const resourcesSchema = z.strictObject({
  schemes: z
    .array(
      z
        .string()
        .regex(/^[a-z][a-z0-9+.-]{0,31}$/, { error: 'expected a scheme in lower case, without a colon' })
        .refine((scheme) => !RUNNING_SCHEMES.includes(scheme), {
          error: ({ input }) =>
            `${String(input)}: runs what stands in it and is refused whatever this list says; leave it out`,
        }),
    )
    .max(64)
    .optional()
    .describe(
      'Schemes of URIs that may be read and linked to; javascript and vbscript, and data with HTML, never are. Left out: all but data, which is content and no place, and file, where the server is reached over HTTP.',
    ),
  hosts: z
    .array(
      z.string().max(256).regex(HOST, {
        error:
          'expected the name of a host, e.g. docs.example.com or *.example.com, without scheme, port or path; anything else matches nothing',
      }),
    )
    .max(1_000)
    .optional()
    .describe(
      'Hosts of http, https, ws and ftp URIs; * stands for any characters. Left out: every public one, or none where unlisted is ask or deny.',
    ),
  unlisted: z
    .enum(['allow', 'ask', 'deny'])
    .optional()
    .describe(
      'What becomes of a scheme or host that the lists do not name. ask: a person agrees before it is read; a link to it stays. deny: neither is possible. Left out: deny where a list is written; else allow, with policy.set team ask, with locked deny.',
    ),
  private: z
    .boolean()
    .default(false)
    .describe(
      'Whether URIs may name this machine, private networks and metadata services. false: they lead a client behind its own firewall.',
    ),
  names: z
    .enum(['text', 'resolve', 'require'])
    .optional()
    .describe(
      'How names of hosts are judged. text: as they are written. resolve: also by the addresses they lead to now. require: a name without an answer is refused, too. Left out: resolve, because a proxy may know names that this machine does not; with policy.set locked require.',
    ),
  maxBytes: z
    .int()
    .min(1)
    .max(64 * MIB)
    .default(16 * MIB)
    .describe('The largest text or blob of a resource, decoded. 16 MiB: far more than a model can read.'),
  programs: z
    .array(z.string().min(1).max(128))
    .max(64)
    .default([])
    .describe(
      'Media types of programs that resources may hold, e.g. application/wasm; * stands for any characters. Empty: a model needs none.',
    ),
});

/**
 * @param given `undefined`: the operator wrote nothing
 * @param set the starter set of the policies; `undefined`: none
 * @param key where `given` stands in the file
 */
export function resolveResources(
  given: z.output<typeof resourcesSchema> | undefined,
  set: PolicySettings['set'],
  key = 'scan.resources',
): ResourceSettings {
  const { schemes, hosts, unlisted, names, ...rest } = given ?? resourcesSchema.parse({});
  const isListed = schemes !== undefined || hosts !== undefined;
  const general = unlisted ?? (set === 'team' ? 'ask' : set === 'locked' ? 'deny' : undefined);
  return {
    ...rest,
    key,
    inResults: given !== undefined || set === 'locked',
    schemes,
    // Where a rule speaks of what is not named, a list that is left out names nothing.
    hosts: hosts ?? (general === 'ask' || general === 'deny' ? [] : undefined),
    unlisted: general ?? (isListed ? 'deny' : 'allow'),
    names: names ?? (set === 'locked' ? 'require' : 'resolve'),
  };
}
