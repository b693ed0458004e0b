import { toCandidate } from './faces.ts';
import type { Judged, Measured } from './judged.ts';
import { describeScan, isFlagged, load, type ScanChange } from './product.ts';
import type { Data, DataRow, Json } from './read-rows.ts';

interface Change {
  readonly row: DataRow;
  readonly before: Json;
  readonly after: Json;
}

/** Definitions that changed after their approval: ranked by what was added, held all the same. */
export async function measureChanges(data: Data): Promise<Measured> {
  const scanChange = await load<ScanChange>('guard/scan/scan-change.js', 'scanChange');
  const digest = await load<(text: string) => string>('catalog/pins/digest-definition.js', 'digestDefinition');
  const changes = (data.get('definition_changes') ?? []).flatMap((row): Change[] => {
    const before = row.object('before');
    const after = row.object('after');
    return before === undefined || after === undefined ? [] : [{ row, before, after }];
  });
  const of = (label: string) => changes.filter(({ row }) => row.is('label', label));
  const risky = ({ before, after }: Change) => {
    const server = 'server';
    const scan = scanChange(before, after, { kind: 'tools', server, tools: [toCandidate(server, before)] });
    return { hit: isFlagged(scan), note: `${describeScan(scan)}\n${JSON.stringify(after).slice(0, 600)}` };
  };
  const held = ({ before, after }: Change) => ({
    hit: digest(JSON.stringify(before)) !== digest(JSON.stringify(after)),
    note: 'the digest of the pin is the same',
  });
  return {
    'detection.change.found': judge(of('malicious'), risky),
    'detection.change.false_alarms': judge(of('benign'), risky),
    'detection.change.held': judge(changes, held),
  };
}

function judge(
  changes: readonly Change[],
  look: (one: Change) => { readonly hit: boolean; readonly note: string },
): Judged[] {
  return changes.map((one) => ({
    id: one.row.id,
    source: one.row.source,
    group: one.row.text('changed') || 'change',
    ...look(one),
  }));
}
