import { z } from 'zod';
import { bindingsSchema, bundlesSchema, serverAccess, sinksSchema } from './access-schema.ts';
import { approvalsSchema } from './approvals-section.ts';
import { argumentSafetySchema } from './argument-safety-section.ts';
import { auditSchema } from './audit-section.ts';
import { authSchema } from './auth-schema.ts';
import { controlSchema } from './control-section.ts';
import { discoverySchema } from './discovery-section.ts';
import { limitsSchema } from './limits-section.ts';
import { pinsSchema } from './pins-section.ts';
import { plansSchema } from './plans-section.ts';
import { policySchema } from './policy-section.ts';
import { registriesSchema } from './registries-section.ts';
import { resultsSchema } from './results-section.ts';
import { scanSchema } from './scan-section.ts';
import { scriptsSchema } from './scripts-section.ts';
import { secretsSchema } from './secrets-section.ts';
import { stateSchema } from './state-section.ts';
import { taintSchema } from './taint-section.ts';
import { telemetrySchema } from './telemetry-section.ts';
import { upstreamAuthSchema } from './upstream-auth-section.ts';

/**
 * `sallyport.json` as people write it. Every default stands here with its reason; what is described here is what
 * editors show. Written -> `resolve.ts` -> `settings.ts`.
 */

/** Names that are safe in a URL path, in a tool name and on a command line; not `.` or `..`, which a URL would swallow. */
export const SERVER_NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,64}$/;

const HOUR = 3_600_000;

function count(minimum: number, maximum: number) {
  return z.int().min(minimum).max(maximum);
}

/** Wrong types in a list of texts: YAML reads `3000` and `true` as what they look like. */
const scalar = z.union([z.string(), z.int(), z.boolean()], {
  error: 'expected text; put it in quotes',
});

const noEffect = (who: string) => z.unknown().optional().describe(`Written by ${who}; accepted, without effect here.`);

export const serverSchema = z.strictObject({
  type: z
    .enum(['stdio', 'local', 'http', 'streamable-http', 'streamableHttp', 'sse', 'auto'])
    .optional()
    .describe(
      'How the server is reached. Left out: stdio when there is a command; for a url Streamable HTTP first, then HTTP+SSE.',
    ),
  command: z.string().min(1).optional().describe('stdio: the program to start.'),
  args: z.array(scalar).optional().describe('stdio: its arguments.'),
  env: z
    .record(z.string(), z.union([scalar, z.null()], { error: 'expected text; put it in quotes' }))
    .optional()
    .describe(
      'stdio: environment variables of the program, beside a small safe set (PATH, HOME, …). null leaves one out.',
    ),
  envFile: z.string().min(1).optional().describe('stdio: a file of NAME=value lines; `env` wins over it.'),
  cwd: z.string().min(1).optional().describe('stdio: working directory; relative paths start at this file.'),
  url: z.string().min(1).optional().describe('HTTP: the address of the MCP endpoint.'),
  serverUrl: z.string().min(1).optional().describe('Windsurf’s name for url.'),
  headers: z.record(z.string(), scalar).optional().describe('HTTP: headers sent with every request.'),
  disabled: z.boolean().optional().describe('true: the server is left out, and its variables need not be set.'),
  disabledTools: z
    .array(z.string())
    .optional()
    .describe(
      'Tools of this server that are neither listed nor callable, by the server’s own names (Windsurf, Roo Code).',
    ),

  ...serverAccess,
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{0,32}$/, { error: 'expected at most 32 of the characters A-Z a-z 0-9 _ . -' })
    .optional()
    .describe(
      'Put before the names of this server on the shared endpoint; "" for none. Left out: gateway.prefix decides.',
    ),
  era: z
    .enum(['auto', 'legacy', 'modern'])
    .default('auto')
    .describe(
      'Which protocol is spoken with the server. auto: the one of each client where the server has it, else the other; what is found out is kept.',
    ),
  timeoutMs: count(1, 24 * HOUR)
    .default(60_000)
    .describe('Until the answer to a request; progress extends it. 60 s, as the official SDKs have it.'),
  maxTimeoutMs: count(1, 24 * HOUR)
    .optional()
    .describe(
      'Hard cap that progress cannot extend. 10 min, or timeoutMs where that is longer: a call that reports progress for ever must end.',
    ),
  startTimeoutMs: count(1, HOUR)
    .default(30_000)
    .describe(
      'Until a new connection has answered its first request. 30 s: real servers take 0.2 to 2 s, a first `npx` download longer.',
    ),
  concurrency: count(1, 10_000)
    .default(80)
    .describe(
      'Requests in flight at once; more wait in line. One caller gets seven eighths at most. 80, so that 64 calls of one client leave room for others.',
    ),
  sharing: z
    .enum(['shared', 'client'])
    .default('shared')
    .describe(
      'stdio: shared, one child for all clients that declare nothing a server could ask for; client, always one child per client.',
    ),
  idleMs: count(0, 30 * 24 * HOUR)
    .default(600_000)
    .describe(
      'stdio: stopped after this long without a request, started again by the next one; 0 = never. 10 min: idle servers hold 60 to 200 MB each.',
    ),
  memoryMb: count(0, 1_048_576)
    .default(0)
    .describe(
      'stdio: the process group is ended above this much memory (MiB). 0 = no limit: what is normal differs from server to server.',
    ),
  user: z
    .union([z.string().min(1), count(1, 4_294_967_294)])
    .optional()
    .describe(
      'stdio: the user whose process it is, by name or number of /etc/passwd. Needs a Sallyport that runs as root on Linux. Left out: Sallyport’s own user.',
    ),
  isolation: z
    .enum(['auto', 'required', 'off'])
    .default('auto')
    .describe(
      'stdio: hides the state directory (keys, control token, database) from the program, with bubblewrap. auto: where it works; required: else the server is not started; off: for programs that need setuid programs such as sudo.',
    ),
  breaker: z
    .strictObject({
      failures: count(1, 1000)
        .default(5)
        .describe('Failures in a row after which requests are refused at once. 5: fewer would trip over one restart.'),
      openMs: count(1, HOUR)
        .default(5000)
        .describe('How long, before one request is let through to try. 5 s: a restarted server is found again soon.'),
    })
    .prefault({})
    .describe('Keeps a broken server from holding its callers.'),
  listTtlMs: count(0, 24 * HOUR)
    .default(300_000)
    .describe(
      'How long a list is fresh when the server states no ttlMs; 0: never. 5 min. A list that is not fresh is asked for again when a client lists, at most once a second; list_changed and reconnects refresh at once.',
    ),

  transport: z.string().optional().describe('Older name of type, read when type is left out.'),
  transportType: z.string().optional().describe('Cline’s older name of type, read when type is left out.'),
  timeout: noEffect(
    'clients that disagree about its unit (Cline: seconds, Claude Code and Gemini CLI: milliseconds); write timeoutMs',
  ),
  alwaysAllow: noEffect('Cline and Roo Code'),
  autoApprove: noEffect('Cline'),
  alwaysLoad: noEffect('Claude Code'),
  watchPaths: noEffect('Roo Code'),
  trust: noEffect('Gemini CLI'),
  dev: noEffect('VS Code'),
  gallery: noEffect('VS Code'),
  version: noEffect('VS Code'),
  name: noEffect('several clients; the key is the name'),
  description: noEffect('several clients'),
  icon: noEffect('several clients'),
  sandboxEnabled: noEffect('VS Code'),
  oauth: noEffect('Claude Code and VS Code'),
  auth: upstreamAuthSchema
    .optional()
    .describe('HTTP: how Sallyport proves itself to the server. Cursor’s form, without type, has no effect here.'),
  headersHelper: noEffect('Claude Code'),
});

/** Keys whose missing effect a person must hear about: without them the server is less protected or not signed in. */
export const SPOKEN_OF: readonly (keyof z.input<typeof serverSchema>)[] = [
  'timeout',
  'sandboxEnabled',
  'oauth',
  'headersHelper',
];

const gatewaySchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on. Loopback, so that nobody else on the network reaches the tools unasked.'),
  port: count(0, 65_535)
    .default(7411)
    .describe('Port to listen on; 0: the system chooses. 7411 is free on most machines.'),
  auth: z
    .union([z.enum(['key', 'none']), authSchema], { error: 'expected "key", "none" or an object' })
    .default('key')
    .describe(
      'key: a bearer key is required, because any web page and any local program can reach loopback. none: refused unless host is loopback. An object: keys, OAuth and mTLS, one by one.',
    ),
  allowedHosts: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Host header values accepted beside the bound address and loopback names, without port. Empty: stops DNS rebinding.',
    ),
  allowedOrigins: z
    .array(z.string().min(1))
    .default([])
    .describe('Origin header values accepted beside loopback origins. Empty: no foreign web page may call.'),
  prefix: z
    .enum(['server', 'random', 'uri', 'none'])
    .default('server')
    .describe(
      'What keeps equal names of two servers apart. server: readable and stable; 18 % of real tools share a name with another server’s.',
    ),
  pageSize: count(1, 10_000)
    .default(1000)
    .describe('Items per page of a list. 1000: many clients read the first page only.'),
  sessionIdleMs: count(1000, 30 * 24 * HOUR)
    .default(1_800_000)
    .describe(
      'A session without traffic ends after this long. 30 min: clients come back with a new one by themselves.',
    ),
  drainMs: count(0, HOUR)
    .optional()
    .describe(
      'After SIGTERM /healthz says 503 and calls are served for this long. Left out: 5 s if /healthz was asked in the last minute, else not at all, since there is no balancer to wait for.',
    ),
  pollAfterMs: count(0, HOUR)
    .default(0)
    .describe(
      'A call of a client that can resume a stream gives its connection free after this long; 0 = never, since not every client does come back.',
    ),
  unvalidatedArguments: z
    .enum(['allow', 'deny'])
    .default('allow')
    .describe(
      'Calls of tools whose input schema is unusable: an unknown dialect, a reference to another document, too expensive. allow: the server wrote that schema, and the record says that it did not validate; deny: they are refused.',
    ),
  limits: z
    .strictObject({
      bodyBytes: count(1024, 1_073_741_824)
        .default(4_194_304)
        .describe('Largest request body. 4 MiB: buffering a 100 MB body blocks everyone for 225 ms.'),
      depth: count(8, 512).default(64).describe('Deepest nesting of a message. 64: depth 5,000 kills JSON.stringify.'),
      headerCount: count(16, 1000)
        .default(64)
        .describe('Most header lines. 64: browsers send about 20, Node would take 2,100.'),
      headerBytes: count(1024, 1_048_576)
        .default(16_384)
        .describe('All header lines together. 16 KiB, as most servers have it.'),
      headerMs: count(100, HOUR)
        .default(10_000)
        .describe('Until all headers are here. 10 s: slow senders must not hold connections.'),
      requestMs: count(100, HOUR)
        .default(30_000)
        .describe('Until the whole request is here. 30 s, as above for bodies.'),
      inFlight: count(1, 1_000_000)
        .default(1000)
        .describe(
          'Requests being worked on at once; more get 503, and one caller gets 429 above seven eighths. 1000 keeps memory flat under a flood.',
        ),
      inFlightPerClient: count(1, 1_000_000)
        .default(64)
        .describe('The same for one client; more get 429. 64: one client cannot take all.'),
      inFlightBytes: count(1_048_576, 1_099_511_627_776)
        .default(268_435_456)
        .describe('All requests being worked on, and those that wait for a person, in bytes; more get 503. 256 MiB.'),
      sessions: count(1, 10_000_000)
        .default(12_000)
        .describe(
          'Open sessions of legacy clients and event streams; the longest idle session of the same caller makes room. One caller gets seven eighths at most, 10,500 of 12,000, which take about 600 MB.',
        ),
    })
    .prefault({})
    .describe('What is refused before it costs anything.'),
});

/** Everything but the servers, which are checked one by one. */
export const topSchema = z.strictObject({
  $schema: z.string().optional().describe('For editors.'),
  gateway: gatewaySchema.prefault({}).describe('The endpoint in front.'),
  bundles: bundlesSchema
    .default({})
    .describe('Selections of tools with an endpoint of their own, /bundles/<name>/mcp.'),
  discovery: discoverySchema
    .optional()
    .describe('When tools are found by search in place of a list of all definitions. Left out: its defaults.'),
  scripts: scriptsSchema
    .optional()
    .describe('run_script, with which a model calls many tools in one script. Left out: nobody is offered it.'),
  sinks: sinksSchema.prefault({}).describe('Effects on the world that need a person, whichever tool causes them.'),
  bindings: bindingsSchema
    .default([])
    .describe('Arguments that must agree with who calls, where a server cannot tell callers apart.'),
  approvals: approvalsSchema.optional().describe('Which calls ask a person, and how people are reached.'),
  policy: policySchema.optional().describe('Who may call what, in Cedar. Left out: no policies.'),
  taint: taintSchema
    .optional()
    .describe('What data must not flow where. Left out: the rules of policy.set; off where there is none.'),
  plans: plansSchema
    .optional()
    .describe(
      'Calls under plans that were fixed before untrusted data was read, and results behind handles. Left out: none.',
    ),
  state: stateSchema.optional().describe('Where short-lived state is kept. Left out: in the memory of each process.'),
  pins: pinsSchema.optional().describe('Which definitions may be used. Left out: mode laptop.'),
  scan: scanSchema
    .optional()
    .describe('How texts of servers are read: definitions, results and what they link to. Left out: its defaults.'),
  results: resultsSchema
    .optional()
    .describe('How large a result a client is given, and where the rest of it goes. Left out: its defaults.'),
  limits: limitsSchema.optional().describe('How often a caller, a tool or a server may be called.'),
  control: controlSchema.optional().describe('The REST API. Left out: groups have the roles they are named after.'),
  audit: auditSchema.optional().describe('The record of every call. Left out: on, batched.'),
  telemetry: telemetrySchema.optional().describe('Metrics and traces, for whom the operator names. Left out: nobody.'),
  secrets: secretsSchema
    .optional()
    .describe(
      'Secrets and personal data in arguments and results. Left out: policy.set decides; without it nothing is looked at.',
    ),
  argumentSafety: argumentSafetySchema
    .optional()
    .describe('Dangers in arguments. Left out: policy.set decides; without it only what is never harmless is denied.'),
  tokenKeyRef: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where the key stands that seals tokens of upstreams: env:NAME, file:/path or command:program. Left out: a file in the state directory, made at first use.',
    ),
  registries: registriesSchema
    .default([])
    .describe(
      'Registries that servers are searched in and added from, by address. Empty: the command line has to name one; else only these are read.',
    ),
  inputs: noEffect('VS Code'),
  sandbox: noEffect('VS Code'),
});

const servers = z.record(z.string().regex(SERVER_NAME), serverSchema);

/** The whole file, for the JSON Schema. */
export const fileSchema = topSchema.extend({
  mcpServers: servers
    .optional()
    .describe(
      'The servers behind Sallyport by name, as Claude Desktop, Claude Code, Cursor, Cline and Windsurf write them.',
    ),
  servers: servers.optional().describe('The same, as VS Code writes it.'),
});

export type WrittenServer = z.output<typeof serverSchema>;
export type WrittenTop = z.output<typeof topSchema>;
