import type { Tally } from '../catalog/contract.ts';

/** `9 tools, 3 quarantined` */
export function describeTally(counts: Tally): string {
  const { tools, quarantined, waiting } = counts;
  // One number is enough to look: "pin diff" lists all of them.
  const others = quarantined > 0 ? 0 : waiting;
  const definitions = others === 1 ? 'definition' : 'definitions';
  // A server whose program waits is not started: nothing is known of its tools.
  if (tools === 0 && others > 0) return `${others} ${definitions} quarantined`;
  return [
    `${tools} ${tools === 1 ? 'tool' : 'tools'}`,
    ...(['quarantined', 'rejected', 'unvalidated', 'malformed'] as const).flatMap((state) =>
      counts[state] === 0 ? [] : [`${counts[state]} ${state}`],
    ),
    ...(others === 0 ? [] : [`${others} other ${definitions} quarantined`]),
  ].join(', ');
}

/** What a person does about it; `undefined`: nothing is to be done. */
export function toRemedy(server: string, { waiting, unvalidated, malformed }: Tally): string | undefined {
  if (waiting > 0) return `run \`sallyport pin diff ${server}\``;
  if (unvalidated + malformed > 0) return `run \`sallyport server show ${server}\``;
  return undefined;
}

/** One line for a server of which not everything may be used: `lark: 9 tools, 3 quarantined; run …`. */
export function describeUnusable(server: string, counts: Tally | null | undefined): string | undefined {
  if (counts === null || counts === undefined) return undefined;
  const remedy = toRemedy(server, counts);
  return remedy === undefined ? undefined : `${server}: ${describeTally(counts)}; ${remedy}`;
}
