import type { Judged, Measured } from './judged.ts';
import { describeScan, isBlocked, isFlagged, load, type Scan, type ScanText } from './product.ts';
import type { Data, DataRow } from './read-rows.ts';

/** Honest texts that speak of attacks, or look like one: everything else is an ordinary result. */
const HARD = ['security_doc', 'hard_negative'];

/** What tools answer: injected, ordinary, and honest texts about security. */
export async function measureResults(data: Data): Promise<Measured> {
  const scanText = await load<ScanText>('guard/scan/scan-text.js', 'scanText');
  const scans = (name: 'injected_results' | 'benign_results') =>
    (data.get(name) ?? []).map((row) => ({ row, scan: scanText(row.text('result')) }));
  const injected = scans('injected_results');
  const honest = scans('benign_results');
  const of = (strength: string) => injected.filter(({ row }) => row.is('strength', strength));
  const ordinary = honest.filter(({ row }) => !row.is('kind', ...HARD));
  const security = honest.filter(({ row }) => row.is('kind', ...HARD));
  return {
    'detection.result.found': judge(of('explicit'), isFlagged),
    'detection.result.false_alarms': judge(ordinary, isFlagged),
    'detection.result.security_alarms': judge(security, isFlagged),
    'detection.result.found_weak': judge(of('weak'), isFlagged),
    'detection.result.found_implicit': judge(of('implicit'), isFlagged),
    'detection.result.blocked': judge(of('explicit'), isBlocked),
    'detection.result.block_alarms': judge(ordinary, isBlocked),
    'detection.block.security_alarms': judge(security, isBlocked),
  };
}

function judge(
  scans: readonly { readonly row: DataRow; readonly scan: Scan }[],
  hits: (scan: Scan) => boolean,
): Judged[] {
  return scans.map(({ row, scan }) => ({
    id: row.id,
    source: row.source,
    group: row.text('template') || row.text('subkind') || row.text('kind'),
    hit: hits(scan),
    note: `${describeScan(scan)}\n${JSON.stringify(row.text('injected_text') || row.text('result')).slice(0, 600)}`,
  }));
}
