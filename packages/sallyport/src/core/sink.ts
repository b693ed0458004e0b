/** An effect on the world that needs a person or a rule, whichever tool causes it (requirement G8). */
export const SINK_CLASSES = [
  'delete',
  'pay',
  'send_out',
  'run_code',
  'change_rights',
  'credentials',
  'write_public',
] as const;

export type SinkClass = (typeof SINK_CLASSES)[number];
