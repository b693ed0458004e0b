import { statSync } from 'node:fs';
import { FaultError, toFault } from '../core/errors.ts';
import { toChildEnvironment } from '../upstream/child-environment.ts';
import { describeExit } from '../upstream/child-report.ts';
import { findProgram, readInterpreter } from '../upstream/find-program.ts';
import { INSTALL_HINTS } from '../upstream/spawn-fault.ts';
import { connectDeadline, toOfferSteps, unplannedExit } from './doctor-offer.ts';
import type { Patient } from './doctor-patient.ts';
import type { WatchedSession } from './doctor-session.ts';
import { EXIT, type Finding, type Step, toFailure, toSeconds } from './doctor-steps.ts';
import { explainStderr } from './explain-stderr.ts';

/** Everything between a command and a list of tools, in the order in which it can fail. */
export function toStdioSteps(patient: Patient, watched: WatchedSession): readonly Step[] {
  const { waitMs, settings } = patient;
  const { transport } = settings;
  if (transport.type !== 'stdio') throw new FaultError('internal', 'This server is not started by Sallyport.');
  const common = { exit: EXIT.unreachable, deadlineMs: waitMs };
  const explain = (error: unknown): Finding => explainSilence(error, patient, watched);
  return [
    { ...common, name: 'cwd', run: () => checkFolder(transport.cwd) },
    { ...common, name: 'command', run: () => checkProgram(patient) },
    {
      ...common,
      name: 'spawn',
      async run() {
        void watched.identify();
        try {
          await watched.spawned;
        } catch (error) {
          return toFailure(error);
        }
        return { outcome: 'ok', detail: `started as process ${watched.report()?.pid ?? 'unknown'}` };
      },
    },
    {
      ...common,
      name: 'answer',
      deadlineMs: connectDeadline(waitMs),
      late: () => {
        const { detail, fix } = explain(new FaultError('timeout', 'late'));
        return { detail, ...(fix === undefined ? {} : { fix }) };
      },
      async run() {
        // Whichever comes first: a failed handshake says why there was no message.
        const ms = await Promise.race([
          watched.firstMessage,
          watched.identify().then(() => watched.firstMessage),
        ]).catch(explain);
        return typeof ms === 'number'
          ? { outcome: 'ok', detail: `first message ${toSeconds(ms)} after the start` }
          : ms;
      },
    },
    ...toOfferSteps({ patient, watched, explain }),
    { ...common, name: 'stdout', exit: EXIT.other, run: () => checkNoise(watched) },
  ];
}

function checkFolder(cwd: string | undefined): Finding {
  if (cwd === undefined) return { outcome: 'skipped', detail: `not set: ${process.cwd()}` };
  const stat = statSync(cwd, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return { outcome: 'ok', detail: cwd };
  const cause = stat === undefined ? 'does not exist' : 'is no folder';
  return { outcome: 'failed', detail: `The working folder ${cwd} ${cause}.`, fix: 'Create it, or correct "cwd".' };
}

function checkProgram({ settings, input }: Patient): Finding {
  const { transport } = settings;
  if (transport.type !== 'stdio') return { outcome: 'skipped', detail: 'not started' };
  const { command, args, cwd = process.cwd(), env } = transport;
  const given = toChildEnvironment(input.terminal.env, env);
  const onWindows = input.terminal.platform === 'win32';
  const place = {
    cwd,
    path: given['PATH'] ?? given['Path'] ?? '',
    extensions: onWindows ? (given['PATHEXT'] ?? '.EXE;.CMD;.BAT;.COM').split(';') : [],
  };
  const found = findProgram({ ...place, command });
  if (found.kind === 'unusable') return explainUnusable(found.path, found.reason);
  if (found.kind === 'missing') return explainMissing(command, args, found.searched);
  const interpreter = onWindows ? undefined : readInterpreter(found.path);
  if (interpreter !== undefined && findProgram({ ...place, command: interpreter }).kind !== 'found') {
    return {
      outcome: 'failed',
      detail: `${found.path} is a script for ${interpreter}, which is not found here.`,
      fix: `Install ${interpreter}, or put its folder into PATH ("env": {"PATH": "…"}).`,
    };
  }
  return { outcome: 'ok', detail: found.path };
}

function explainUnusable(path: string, reason: 'folder' | 'mode'): Finding {
  if (reason === 'folder') {
    return { outcome: 'failed', detail: `${path} is a folder.`, fix: 'Give the program in it as "command".' };
  }
  return {
    outcome: 'failed',
    detail: `${path} may not be executed by this user (EACCES).`,
    fix: `Make it executable (chmod +x ${path}), or give its interpreter as "command" and the file in "args".`,
  };
}

function explainMissing(command: string, args: readonly string[], searched: readonly string[]): Finding {
  if (/\s/.test(command) && args.length === 0) {
    return {
      outcome: 'failed',
      detail: `There is no program "${command}" (ENOENT).`,
      fix: 'It holds spaces: put the program alone into "command" and the rest into "args".',
    };
  }
  if (searched.length === 0) {
    return {
      outcome: 'failed',
      detail: `There is no file ${command} (ENOENT).`,
      fix: 'Correct the path in "command".',
    };
  }
  return {
    outcome: 'failed',
    detail: `The command "${command}" is in none of the folders of PATH (ENOENT):\n${searched.slice(0, 20).join(', ')}`,
    fix: `${INSTALL_HINTS.get(command) ?? 'Install it'}, or give its full path as "command". Programs started from a desktop often see a shorter PATH than a shell.`,
  };
}

const SHOWN_LINES = 8;

/** Why a started server does not speak MCP, or stopped: its end, its last words, and what they mean. */
function explainSilence(error: unknown, { settings, input, waitMs }: Patient, watched: WatchedSession): Finding {
  const fault = toFault(error);
  const report = watched.report();
  // A server that died of the question for its era and then fell silent in its second life did not end now.
  const exit = fault.code === 'timeout' ? undefined : unplannedExit(report);
  const stderr = lastOf(report?.stderr);
  const noise = lastOf(report?.noise.last);
  const cause =
    exit !== undefined
      ? `The server ${describeExit(exit)}${watched.starts() > 1 ? `; it was started ${watched.starts()} times` : ''}.`
      : fault.code === 'timeout'
        ? `The server runs, but answered neither server/discover nor initialize within ${toSeconds(waitMs)}.`
        : fault.message;
  const known = explainStderr([...stderr, ...noise], input.terminal.env);
  const detail = [
    cause,
    ...(stderr.length === 0 ? ['It wrote nothing to stderr.'] : ['Its last lines on stderr:', ...stderr.map(indent)]),
    ...(noise.length === 0 ? [] : ['It wrote to stdout what is no message of MCP:', ...noise.map(indent)]),
  ].join('\n');
  const fix = known ?? (exit === undefined ? fixForSilence(fault, settings.era) : fixForExit(exit));
  return { outcome: 'failed', detail, fix, exit: fault.failure.exit };
}

/** The question for the era may have started it twice: it says the same again. */
function lastOf(lines: readonly string[] = []): readonly string[] {
  return [...new Set(lines.filter((line) => line.trim() !== ''))].slice(-SHOWN_LINES);
}

function indent(line: string): string {
  return `  ${line.slice(0, 300)}`;
}

function fixForExit({
  code,
  signal,
  reason,
}: {
  code?: number | undefined;
  signal?: string | undefined;
  reason?: string | undefined;
}): string {
  if (reason !== undefined) return 'Raise "memoryMb" for this server, or give it less to do.';
  if (signal === 'SIGKILL')
    return 'Something killed it, often the kernel for want of memory: see the log of the system (dmesg).';
  if (signal !== undefined)
    return 'The program crashed: update or reinstall it, and run its command by hand to see more.';
  if (code === 127) return 'A command inside its script was not found: check what the script calls.';
  if (code === 126) return 'A command inside its script may not be executed: check its mode.';
  if (code === 0) {
    return 'It ended by itself as if its work were done: it may need an argument to serve over stdio, or be no MCP server. Run its command by hand to see.';
  }
  return 'Run its command by hand, with the same "env", to see why it ends; check "args", "env" and "cwd".';
}

function fixForSilence(fault: FaultError, era: string): string {
  const forced = era === 'auto' ? '' : ` Leave out the era "${era}", it may speak the other one (--era auto).`;
  if (fault.code === 'timeout') {
    return `It may be no MCP server, need an argument to serve over stdio, or still be starting (a first download): give it more time (--timeout 2m).${forced}`;
  }
  return `See what it writes to stderr; check that it is an MCP server and serves over stdio.${forced}`;
}

function checkNoise(watched: WatchedSession): Finding {
  const { count, last } = watched.report()?.noise ?? { count: 0, last: [] };
  if (count === 0) return { outcome: 'ok', detail: 'messages only' };
  const shown = last.slice(-3).map(indent);
  return {
    outcome: 'warning',
    detail: [`${count} ${count === 1 ? 'line that is' : 'lines that are'} no message of MCP:`, ...shown].join('\n'),
    fix: 'Sallyport passes over them, other clients fail. Have the server write its log to stderr.',
  };
}
