import type { View } from '../../catalog/contract.ts';
import { createPause, runPaced } from '../../core/pace.ts';

/** Decides what the list shows, with pauses: a policy may take a third of a millisecond for each tool. */
export async function prepareTools(view: View): Promise<void> {
  const steps = view.prepare('tools');
  if (steps !== undefined) await runPaced(steps, createPause());
}
