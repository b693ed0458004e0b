import { find, isBlocked, type Scan } from './product.ts';

/** From which score on a scan of each kind is in the review tier: the product's own numbers, never fitted here. */
export async function readThreshold(kind: 'definition' | 'change' | 'text'): Promise<number | undefined> {
  const all = await find<Readonly<Record<string, number>>>('guard/scan/thresholds.js', 'REVIEW_FROM');
  return all?.[kind];
}

/** In the review tier or above it. Without a threshold of the product every finding counts. */
export function isFlagged(scan: Scan, threshold: number | undefined): boolean {
  return isBlocked(scan) || (threshold === undefined ? scan.findings.length > 0 : scan.score >= threshold);
}
