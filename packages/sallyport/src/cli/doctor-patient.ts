import type { ServerSettings } from '../config/settings.ts';
import { createPlainText } from '../upstream/plain-text.ts';
import { type Input, textOption } from './command.ts';
import type { StepReport } from './doctor-steps.ts';
import { maskArgs, maskUrl } from './mask-secrets.ts';
import type { Written } from './resolve-target.ts';

/** One server under examination. */
export interface Patient {
  readonly settings: ServerSettings;
  /** `undefined`: named on the command line. */
  readonly written: Written | undefined;
  readonly input: Input;
  /** For one answer. Milliseconds. */
  readonly waitMs: number;
}

/** Nobody looks at a screen for longer, and a connection that takes longer than this is ill. */
const NETWORK_WAIT_MS = 10_000;

export function toPatient(settings: ServerSettings, written: Written | undefined, input: Input): Patient {
  const given = textOption(input.options, 'timeout') !== undefined;
  const { startTimeoutMs, transport } = settings;
  // A first `npx` downloads before it starts.
  const waitMs = given || transport.type === 'stdio' ? startTimeoutMs : Math.min(startTimeoutMs, NETWORK_WAIT_MS);
  return {
    settings: { ...settings, startTimeoutMs: waitMs, timeoutMs: waitMs, maxTimeoutMs: waitMs },
    written,
    input,
    waitMs,
  };
}

/** Command or URL without what may be secret. */
export function placeOf({ transport }: ServerSettings): string {
  return transport.type === 'stdio'
    ? maskArgs([transport.command, ...transport.args]).join(' ')
    : maskUrl(transport.url);
}

/**
 * Takes out of everything that is shown what the settings hold as credentials: a server or its error page may well
 * repeat the header it was sent.
 */
export function createCensor({ transport }: ServerSettings): (report: StepReport) => StepReport {
  const whole = new Map<string, string>();
  const parts = new Map<string, string>();
  if (transport.type === 'stdio') for (const [name, value] of Object.entries(transport.env)) whole.set(name, value);
  else {
    for (const [name, value] of Object.entries(transport.headers)) {
      whole.set(name, value);
      parts.set(name, value.split(/\s+/).at(-1) ?? value);
    }
    for (const [name, value] of new URL(transport.url).searchParams) parts.set(name, value);
  }
  const hideWhole = createPlainText(Object.fromEntries(whole));
  const hideParts = createPlainText(Object.fromEntries(parts));
  const place = transport.type === 'stdio' ? undefined : toPlace(transport.url);
  const hide = (text: string): string => {
    const plain = text
      .split('\n')
      .map((line) => hideParts(hideWhole(line)))
      .join('\n');
    return place === undefined ? plain : plain.replaceAll(place, maskUrl(place));
  };
  return (report) => ({
    ...report,
    detail: hide(report.detail),
    fix: report.fix === undefined ? undefined : hide(report.fix),
  });
}

function toPlace(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}

/** Where a person changes this server: `"github" in /home/a/sallyport.json`. */
export function describeWhere({ settings, written }: Patient): string {
  return written === undefined ? 'the command line' : `"${settings.name}" in ${written.file}`;
}
