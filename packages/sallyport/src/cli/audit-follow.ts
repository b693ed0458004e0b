import { setTimeout } from 'node:timers/promises';
import { RecordFollower } from '../telemetry/audit/read-records.ts';
import type { Command } from './command.ts';
import { AUDIT_FLAGS, findAuditDirectory } from './find-audit.ts';
import { write } from './terminal.ts';

/** How often the files are looked at. Milliseconds. */
const LOOK_MS = 250;

export const auditFollow: Command = {
  name: 'audit follow',
  summary: 'print records as they are written, one JSON line each, until Ctrl-C',
  options: AUDIT_FLAGS,
  example: 'sallyport audit follow',
  async run(input) {
    const { signal, terminal } = input;
    const follower = new RecordFollower(findAuditDirectory(input));
    await follower.next();
    while (!signal.aborted) {
      await pause(LOOK_MS, signal);
      const lines = (await follower.next()).map(({ line }) => `${line}\n`);
      if (lines.length > 0) await write(terminal.stdout, lines.join(''));
    }
    return undefined;
  },
};

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Ctrl-C ends the pause; the loop looks at the signal itself.
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
