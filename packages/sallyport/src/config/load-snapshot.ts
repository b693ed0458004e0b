import { basename, dirname, isAbsolute, resolve as resolvePath } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { resolveApprovals } from './approvals-section.ts';
import { resolveArgumentSafety } from './argument-safety-section.ts';
import { resolveAudit } from './audit-section.ts';
import { checkAgainst, type FileIssue } from './check-against.ts';
import { CLIENT_FILE_NAMES } from './client-files.ts';
import { SERVER_NAME, topSchema, type WrittenTop } from './file-schema.ts';
import { fill } from './fill.ts';
import { freeze } from './freeze.ts';
import type { Variables } from './interpolate.ts';
import { resolveLimits } from './limits-section.ts';
import { reportUnknownBundles } from './lister-rule.ts';
import { isProblem, isYaml, type Path, type Problem, parseFile } from './parse-file.ts';
import { resolvePins } from './pins-section.ts';
import { resolvePlans } from './plans-section.ts';
import { resolvePolicy, type StarterSet, setInForce } from './policy-section.ts';
import { readServer } from './read-server.ts';
import { resolveGateway } from './resolve.ts';
import { resolveBindings, resolveBundles, resolveSinks } from './resolve-access.ts';
import { resolveResults } from './results-section.ts';
import { resolveScan } from './scan-section.ts';
import { resolveSecrets } from './secrets-section.ts';
import type { ServerSettings, Snapshot } from './settings.ts';
import { resolveTaint } from './taint-section.ts';
import { resolveTelemetry } from './telemetry-section.ts';

export interface SnapshotSource {
  /** Absolute path; its ending tells JSON from YAML. `undefined` for a configuration made in memory (JSON). */
  readonly file: string | undefined;
  readonly text: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stateDir: string;
  readonly version: number;
  /** Reads this server alone: what is wrong with the others does not matter to who asks for it. */
  readonly only?: string;
  /** Reads an `envFile`; without it, a server that names one is a problem. */
  readonly readText?: (path: string) => string;
  /** What RE2 has against a pattern; without it, a custom pattern of secrets is a problem. */
  readonly refusePattern?: (pattern: string) => string | undefined;
}

/**
 * The configuration a text describes, resolved and frozen.
 * @throws FaultError `config`, naming every problem of the file at once: place, cause and fix, and no value.
 */
export function loadSnapshot(source: SnapshotSource): Snapshot {
  const parsed = parseFile(source.text, isYaml(source.file));
  if (isProblem(parsed)) throw toConfigFault(source.file, [parsed]);
  const reader = new FileReader(source);
  const snapshot = reader.read(parsed.value);
  if (reader.problems.length > 0) {
    throw toConfigFault(
      source.file,
      reader.problems.map((problem) => withLine(problem, parsed.lineOf(problem.path))),
    );
  }
  return freeze(snapshot);
}

function withLine(problem: Problem, line: number | undefined): Problem {
  return line === undefined ? problem : { ...problem, line };
}

function toConfigFault(file: string | undefined, problems: readonly Problem[]): FaultError {
  const name = file ?? 'the configuration';
  const lines = problems.map(describe);
  const message =
    lines.length === 1
      ? `${name}: ${lines[0]}`
      : `${name} has ${lines.length} problems:\n${lines.map((line) => `  - ${line}`).join('\n')}`;
  return new FaultError('config', message, {
    data: {
      file: file ?? null,
      problems: problems.map(({ path, line, message }) => ({ path: [...path], line: line ?? null, message })),
    },
  });
}

function describe(problem: Problem): string {
  const place = [problem.line === undefined ? '' : `line ${problem.line}`, problem.path.join('.')].filter(
    (part) => part !== '',
  );
  const sentence = problem.message.endsWith('?') ? problem.message : `${problem.message}.`;
  return place.length === 0 ? sentence : `${place.join(', ')}: ${sentence}`;
}

/** Collects the problems of one file while it is read. */
class FileReader {
  readonly problems: Problem[] = [];
  readonly #notes: string[] = [];
  readonly #source: SnapshotSource;
  readonly #variables: Variables;
  #top: WrittenTop | undefined;
  readonly #directory: string;

  constructor(source: SnapshotSource) {
    this.#source = source;
    this.#directory = source.file === undefined ? process.cwd() : dirname(resolvePath(source.file));
    const inEditorFolder = ['.vscode', '.cursor'].includes(basename(this.#directory));
    this.#variables = { env: source.env, workspace: inEditorFolder ? dirname(this.#directory) : undefined };
  }

  read(value: unknown): Snapshot {
    const { file, stateDir, version } = this.#source;
    if (!isAbsolute(stateDir)) throw new FaultError('internal', 'The state directory must be an absolute path.');
    const { mcpServers, servers, ...rest } = isObject(value)
      ? value
      : this.#refuse([], 'expected an object at the top');
    const gateway = this.#readTop(rest);
    const found = new Map<string, ServerSettings>();
    for (const [key, written] of Object.entries({ mcpServers, servers })) {
      // `mcpServers:` with nothing below it is null in YAML.
      if (written !== undefined && written !== null) this.#readServers(key, written, found);
    }
    const named = [mcpServers, servers].flatMap((one) => (isObject(one) ? Object.keys(one) : []));
    const set = setInForce(this.#top?.policy);
    const taint = this.#readTaint(named, set);
    return {
      version,
      file,
      stateDir,
      set,
      gateway,
      servers: found,
      ...(this.#top?.tokenKeyRef === undefined ? {} : { tokenKeyRef: this.#top.tokenKeyRef }),
      ...this.#readApprovals(named),
      ...(this.#top?.audit === undefined ? {} : { audit: resolveAudit(this.#top.audit, this.#directory) }),
      ...(this.#top?.state === undefined ? {} : { state: this.#top.state }),
      ...(this.#top?.control === undefined ? {} : { control: this.#top.control }),
      ...(this.#top?.pins === undefined ? {} : { pins: resolvePins(this.#top.pins, this.#directory) }),
      ...this.#readAccess(named),
      ...this.#readWatching(named),
      ...this.#readLists(),
      ...this.#readPolicy(named),
      ...taint,
      ...this.#readPlans(named, taint.taint !== undefined),
      ...this.#readScan(named, set),
      ...this.#readSecrets(named, set),
      argumentSafety: this.#readArgumentSafety(named, set),
      notes: this.#notes,
    };
  }

  #refuse(path: Path, message: string): Record<string, never> {
    this.problems.push({ path, message });
    return {};
  }

  #readTop(written: object): Snapshot['gateway'] {
    const known = isForeign(this.#source.file) ? pick(written, Object.keys(topSchema.shape)) : written;
    const gateway = Object.hasOwn(known, 'gateway')
      ? { gateway: this.#fill((known as { gateway: unknown }).gateway, ['gateway']) }
      : {};
    const telemetry = Object.hasOwn(known, 'telemetry')
      ? { telemetry: this.#fill((known as { telemetry: unknown }).telemetry, ['telemetry']) }
      : {};
    const checked = checkAgainst(topSchema, { ...known, ...gateway, ...telemetry }, FOREIGN_TOP);
    this.#add([], checked.issues);
    this.#top = checked.value ?? topSchema.parse({});
    return resolveGateway(this.#top.gateway, this.#directory, (key, message) =>
      this.problems.push({ path: ['gateway', key], message }),
    );
  }

  #readWatching(named: readonly string[]): Pick<Snapshot, 'limits' | 'telemetry' | 'results'> {
    const { bundles = {}, limits, telemetry, results } = this.#top ?? {};
    const names = { servers: named, bundles: Object.keys(bundles) };
    const reportIn = (section: string) => (path: Path, message: string) =>
      void this.problems.push({ path: [section, ...path], message });
    return {
      ...(limits === undefined || this.#source.only !== undefined
        ? {}
        : { limits: resolveLimits(limits, named, reportIn('limits')) }),
      ...(results === undefined || this.#source.only !== undefined
        ? {}
        : { results: resolveResults(results, names, reportIn('results')) }),
      ...(telemetry === undefined ? {} : { telemetry: resolveTelemetry(telemetry, reportIn('telemetry')) }),
    };
  }

  /** What lists of tools have beside the tools of servers. */
  #readLists(): Pick<Snapshot, 'discovery' | 'scripts'> {
    const { discovery, scripts, bundles = {} } = this.#top ?? {};
    if (this.#source.only !== undefined) return {};
    for (const [section, written] of Object.entries({ discovery, scripts })) {
      const report = (path: Path, message: string) => void this.problems.push({ path: [section, ...path], message });
      reportUnknownBundles(written?.rules ?? [], Object.keys(bundles), report);
    }
    return { ...(discovery && { discovery }), ...(scripts && { scripts }) };
  }

  #readApprovals(named: readonly string[]): Pick<Snapshot, 'approvals'> {
    const approvals = this.#top?.approvals;
    if (approvals === undefined || this.#source.only !== undefined) return {};
    const report = (path: Path, message: string) => void this.problems.push({ path: ['approvals', ...path], message });
    return { approvals: resolveApprovals(approvals, { servers: named, env: this.#source.env }, report) };
  }

  #readTaint(named: readonly string[], set: StarterSet): Pick<Snapshot, 'taint'> {
    if (this.#source.only !== undefined) return {};
    const report = (path: Path, message: string) => void this.problems.push({ path: ['taint', ...path], message });
    const settings = resolveTaint(this.#top?.taint, { set, servers: named }, report);
    return settings === undefined ? {} : { taint: settings };
  }

  #readPlans(named: readonly string[], hasTaint: boolean): Pick<Snapshot, 'plans'> {
    if (this.#source.only !== undefined) return {};
    const report = (path: Path, message: string) => void this.problems.push({ path: ['plans', ...path], message });
    const settings = resolvePlans(this.#top?.plans, { servers: named, hasTaint }, report);
    return settings === undefined ? {} : { plans: settings };
  }

  #readPolicy(named: readonly string[]): Pick<Snapshot, 'policy'> {
    // Who asks for one server alone decides nothing.
    if (this.#source.only !== undefined) return {};
    const from = { directory: this.#directory, readText: this.#source.readText, servers: named };
    return {
      policy: resolvePolicy(
        this.#top?.policy,
        from,
        (path, message) => void this.problems.push({ path: ['policy', ...path], message }),
      ),
    };
  }

  #readSecrets(named: readonly string[], set: StarterSet): Pick<Snapshot, 'secrets'> {
    if (this.#source.only !== undefined) return {};
    const report = (path: Path, message: string) => void this.problems.push({ path: ['secrets', ...path], message });
    const context = { set, servers: named, refusePattern: this.#source.refusePattern };
    const settings = resolveSecrets(this.#top?.secrets, context, report);
    return settings === undefined ? {} : { secrets: settings };
  }

  #readArgumentSafety(named: readonly string[], set: StarterSet): Snapshot['argumentSafety'] {
    const written = this.#source.only === undefined ? this.#top?.argumentSafety : undefined;
    const report = (path: Path, message: string) =>
      void this.problems.push({ path: ['argumentSafety', ...path], message });
    return resolveArgumentSafety(written, { servers: named, set }, report);
  }

  #readScan(named: readonly string[], set: StarterSet): Pick<Snapshot, 'scan'> {
    if (this.#source.only !== undefined) return {};
    const report = (path: Path, message: string) => void this.problems.push({ path: ['scan', ...path], message });
    return { scan: resolveScan(this.#top?.scan, { servers: named, set }, report) };
  }

  /** `named` holds switched-off servers too: what speaks of one is no mistake. */
  #readAccess(named: readonly string[]): Pick<Snapshot, 'bundles' | 'sinks' | 'bindings'> {
    // Who asks for one server alone leaves the others out, so that references to them lead nowhere.
    if (this.#top === undefined || this.#source.only !== undefined) return {};
    const report = (path: Path, message: string) => void this.problems.push({ path, message });
    return {
      bundles: resolveBundles(this.#top.bundles, named, report),
      sinks: resolveSinks(this.#top.sinks, named, report),
      bindings: resolveBindings(this.#top.bindings, named, report),
    };
  }

  #readServers(key: string, written: unknown, found: Map<string, ServerSettings>): void {
    if (!isObject(written)) {
      this.#refuse([key], 'expected an object with one entry per server');
      return;
    }
    for (const [name, entry] of Object.entries(written)) {
      const path = [key, name];
      if (this.#source.only !== undefined && this.#source.only !== name) continue;
      if (!SERVER_NAME.test(name)) {
        this.#refuse(path, 'a server name is 1 to 64 of the characters A-Z a-z 0-9 _ . -; rename it');
      } else if (found.has(name)) {
        this.#refuse(path, 'mcpServers and servers both have a server of this name; remove one');
      } else if (!isObject(entry)) {
        this.#refuse(path, 'expected an object with a command or a url');
      } else if (entry['disabled'] !== true) {
        const server = this.#readServer(path, name, entry);
        if (server !== undefined) found.set(name, server);
      }
    }
  }

  #readServer(path: Path, name: string, entry: object): ServerSettings | undefined {
    const { readText, only } = this.#source;
    const from = { variables: this.#variables, directory: this.#directory, readText };
    const { settings, mistakes, missing, notes } = readServer({ path, name, entry }, from);
    this.problems.push(...mistakes);
    // Who asks for this server alone cannot go on without it.
    if (only !== undefined) this.problems.push(...missing);
    this.#notes.push(...notes);
    return settings;
  }

  #fill(value: unknown, path: Path): unknown {
    return fill(value, path, {
      variables: this.#variables,
      report: (problem) => void this.problems.push(problem),
    });
  }

  #add(path: Path, issues: readonly FileIssue[]): void {
    // A missing variable leaves its text in place, which may then not fit: one problem is enough.
    const named = new Set(this.problems.map((problem) => problem.path.join('\0')));
    for (const issue of issues) {
      const full = [...path, ...issue.path];
      if (!named.has(full.join('\0'))) this.problems.push({ path: full, message: issue.message });
    }
  }
}

/** Names of the server maps, for suggestions at the top of the file. */
const FOREIGN_TOP = ['mcpServers', 'servers'];

/** A file another program owns: its other keys are that program's business. */
function isForeign(file: string | undefined): boolean {
  return file !== undefined && CLIENT_FILE_NAMES.has(basename(file));
}

function pick(value: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));
}
