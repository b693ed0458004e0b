import { type FaultError, toFault } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { EXIT, type Finding, type Step } from './doctor-steps.ts';
import type { Resolved } from './resolve-target.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The first step of a server that stands in a file: is its entry valid, are its variables there. */
export function toConfigurationStep(resolved: Resolved, env: Environment): Step {
  return {
    name: 'written' in resolved && resolved.written === undefined ? 'url' : 'configuration',
    exit: EXIT.other,
    deadlineMs: 5000,
    run: () => ('fault' in resolved ? explainFault(resolved.fault, resolved.name) : checkVariables(resolved, env)),
  };
}

function explainFault(fault: FaultError, name: string): Finding {
  const { message, data } = toFault(fault);
  const problems = member(data, 'problems');
  const all = Array.isArray(problems) ? problems.filter(isObject) : [];
  const own = all.filter((problem) => pathOf(problem)[1] === name);
  if (all.length === 0) return { outcome: 'failed', detail: message, fix: FIX };
  const shown = (own.length > 0 ? own : all).map(describeProblem);
  const missing = shown.flatMap((line) => /environment variable (\w+) is not set/.exec(line)?.[1] ?? []);
  const fix = missing.length === shown.length ? `${MISSING}: ${[...new Set(missing)].join(', ')}.` : FIX;
  return { outcome: 'failed', detail: shown.join('\n'), fix };
}

const MISSING =
  'Set these variables in the environment Sallyport is started from (desktop programs do not read the files of your shell)';

const FIX = 'Correct it as the message says; the other steps need an entry that is valid.';

function describeProblem(problem: JsonObject): string {
  const line = member(problem, 'line');
  const place = [typeof line === 'number' ? `line ${line}` : '', pathOf(problem).join('.')].filter(
    (part) => part !== '',
  );
  return `${place.join(', ')}: ${String(member(problem, 'message'))}.`;
}

function pathOf(problem: JsonObject): readonly string[] {
  const path = member(problem, 'path');
  return Array.isArray(path) ? path.map(String) : [];
}

function checkVariables({ written, name }: Resolved, env: Environment): Finding {
  if (written === undefined) return { outcome: 'skipped', detail: 'named on the command line' };
  const names = [...listVariables(written.entry)].slice(0, 50);
  const place = `"${name}" in ${written.file}`;
  const empty = names.filter((variable) => env[variable] === '');
  if (empty.length > 0) {
    return {
      outcome: 'warning',
      detail: `${place}: ${empty.join(', ')} ${empty.length === 1 ? 'is' : 'are'} set but empty.`,
      fix: 'Give them a value before Sallyport starts, in the environment it is started from.',
    };
  }
  const set = names.filter((variable) => env[variable] !== undefined);
  return { outcome: 'ok', detail: set.length === 0 ? place : `${place}; set: ${set.join(', ')}` };
}

const REFERENCE = /\$?\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}/g;

/** The environment variables an entry refers to. */
export function listVariables(value: Json): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (each: Json): void => {
    if (typeof each === 'string') {
      for (const [whole, name] of each.matchAll(REFERENCE)) {
        // `$${` stands for a literal `${`.
        if (!whole.startsWith('$$') && name !== undefined) found.add(name);
      }
    } else if (Array.isArray(each)) for (const item of each) look(item);
    else if (isObject(each)) for (const item of Object.values(each)) look(item ?? null);
  };
  look(value);
  return found;
}
