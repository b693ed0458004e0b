import { isDeepStrictEqual } from 'node:util';
import { type App, createApp } from '../app/app.ts';
import { freeze } from '../config/freeze.ts';
import { isLoopback } from '../config/resolve.ts';
import type { GatewaySettings, Snapshot } from '../config/settings.ts';
import { watchConfig } from '../config/watch-config.ts';
import { FaultError } from '../core/errors.ts';
import { preparePolicies } from '../guard/policy/prepare-policies.ts';
import type { LogLevel } from '../telemetry/log.ts';
import { type Flag, type Input, textOption } from './command.ts';
import { findConfigFile, findStateDir, readConfigText, readSnapshot, watchFile } from './config-file.ts';
import { createShortLines } from './short-line.ts';
import { createStyle } from './style.ts';
import { joinWatches, watchPolicyFiles } from './watch-policy-files.ts';

/** Options of the commands that run the gateway. */
export const SERVE_OPTIONS: readonly Flag[] = [
  { flags: '--log-level <level>', meaning: 'debug, info, warn, error or silent (default: info)' },
  { flags: '--log <format>', meaning: 'text (default on a terminal) or json (one object per line, default elsewhere)' },
  { flags: '--no-call-log', meaning: 'do not write one line per call to stderr' },
];

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

export type GatewayOverrides = Partial<Pick<GatewaySettings, 'host' | 'port' | 'auth'>>;

/** What the listener was opened with. */
const STARTUP_ONLY = ['host', 'port', 'auth'] as const;

/** Starts the gateway on the configuration file and follows the file's changes. `close` ends both. */
export async function serve(input: Input, overrides: GatewayOverrides): Promise<{ app: App; close(): Promise<void> }> {
  const { terminal, options } = input;
  const file = findConfigFile(textOption(options, 'config'), terminal);
  const stateDir = findStateDir(terminal);
  // Read once each time: a second look could meet the file half written.
  const read = (text: string, version: number): Snapshot =>
    override(readSnapshot({ file, text, env: terminal.env, stateDir, version }), overrides);
  let text = file === undefined ? '' : readConfigText(file);
  const first = read(text, 1);
  const level = toLevel(textOption(options, 'logLevel'));
  const app = await createApp({
    snapshot: first,
    logLevel: level,
    logCalls: options['callLog'] !== false,
    presentLog: toPresenter(input, level),
  });
  note(app, first);
  if (file === undefined) return { app, close: () => app.close() };

  const policyFiles = watchPolicyFiles(first);
  const watch = watchConfig({
    first,
    async load(version) {
      const now = readConfigText(file);
      if (now === text && !policyFiles.haveChanged()) return undefined;
      // Whoever writes a file often empties it first: that moment must not end every server.
      if (now.trim() === '') throw new FaultError('config', `${file} is empty. Write {} to have no servers.`);
      const written = read(now, version);
      const changed = STARTUP_ONLY.filter((key) => !isDeepStrictEqual(written.gateway[key], first.gateway[key]));
      if (changed.length > 0)
        app.log.warn(
          { keys: changed },
          'these gateway settings are read at the start only: restart Sallyport to use them',
        );
      const snapshot = keepOpenness(written, first);
      // Before the check: the correction of a bad file must be seen, too.
      policyFiles.follow(snapshot);
      await preparePolicies(snapshot);
      text = now;
      return snapshot;
    },
    watch: (onChange) => joinWatches([watchFile(file, onChange), policyFiles.watch(onChange)]),
    publish: (snapshot) => {
      const before = app.snapshot();
      app.reload(snapshot);
      note(app, snapshot, before);
    },
    refuse: (fault) => app.log.error({ file, error: fault }, `the changed configuration is not used: ${fault.message}`),
  });
  const onHangup = () => void watch.reload();
  // From a terminal it means that its window was closed: the program ends, as all others there do.
  if (terminal.stdin.isTTY !== true) process.on('SIGHUP', onHangup);
  return {
    app,
    async close() {
      process.off('SIGHUP', onHangup);
      watch.close();
      await app.close();
    },
  };
}

/** What has no effect here, and what the environment lacks: said once, not searched for later, nor with every reload. */
function note(app: App, { notes, servers }: Snapshot, before?: Snapshot): void {
  for (const text of notes) if (before?.notes.includes(text) !== true) app.log.warn({}, text);
  for (const { name, fault } of servers.values())
    if (fault !== undefined && fault !== before?.servers.get(name)?.fault)
      app.log.warn({ upstream: name, reason: fault }, 'The server cannot be used');
}

/** How the log looks on stderr; `undefined`: as it is, JSON lines. */
function toPresenter({ terminal, options }: Input, level: LogLevel): ((lines: string) => string) | undefined {
  const format = textOption(options, 'log') ?? (terminal.stderr.isTTY === true ? 'text' : 'json');
  if (format !== 'text' && format !== 'json') throw new FaultError('usage', '--log is text or json.');
  if (format === 'json') return undefined;
  return createShortLines({
    style: createStyle(terminal.stderr, terminal.env),
    isDetailed: level === 'debug',
    columns: () => terminal.stderr.columns,
  });
}

function toLevel(text: string | undefined): LogLevel {
  const level = LEVELS.find((candidate) => candidate === (text ?? 'info'));
  if (level === undefined) throw new FaultError('usage', `--log-level is one of ${LEVELS.join(', ')}.`);
  return level;
}

function override(snapshot: Snapshot, overrides: GatewayOverrides): Snapshot {
  const gateway = { ...snapshot.gateway, ...overrides };
  if (gateway.auth === 'none' && !isLoopback(gateway.host)) {
    throw new FaultError(
      'config',
      `Without a key Sallyport listens on loopback only, not on ${gateway.host}. Use --auth key, or --host 127.0.0.1.`,
    );
  }
  return freeze({ ...snapshot, gateway });
}

/** The listener lets in unknown callers, or not, until the program ends: the policies about them must hold as long. */
function keepOpenness(snapshot: Snapshot, { gateway: { auth } }: Snapshot): Snapshot {
  if ((snapshot.gateway.auth === 'none') === (auth === 'none')) return snapshot;
  return freeze({ ...snapshot, gateway: { ...snapshot.gateway, auth } });
}

/** Resolves when Ctrl-C or SIGTERM asks the program to end. */
export function untilInterrupted({ signal }: Input): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
