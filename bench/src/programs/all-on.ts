import { writeGuards } from './guarded.ts';
import type { Launched, LaunchOptions } from './program.ts';
import { launchSallyport, upstreamEntry } from './sallyport.ts';

/**
 * Everything on: what `guarded` has, and results scanned, secrets looked for in both directions and masked, taint followed from every
 * result into every argument, arguments looked at for dangers. The server is untrusted, as every server is that nobody speaks of.
 */
export async function launchAllOn(options: LaunchOptions): Promise<Launched> {
  const { key, sections } = await writeGuards(options);
  return launchSallyport({ echo: upstreamEntry(options) }, options, {
    key,
    sections: {
      ...sections,
      scan: { definitions: 'hold', results: 'warn' },
      secrets: {},
      taint: {},
      argumentSafety: {},
    },
  });
}
