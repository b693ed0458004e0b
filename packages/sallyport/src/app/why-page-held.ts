import { definePage } from '../catalog/pins/define-item.ts';
import { type Report, whyBlocked } from '../catalog/pins/inspection.ts';
import type { PinBook } from '../catalog/pins/pin-book.ts';
import type { Finding } from '../core/finding.ts';
import type { WhyPageHeld } from '../guard/pin.ts';
import { PAGE_RULES_VERSION, readPage } from '../guard/scan/results/read-page.ts';

/** Meets pages of tools in the book of pins, with what the rules for pages find in them. */
export function whyPageHeld(book: Pick<PinBook, 'meetPage'>): WhyPageHeld {
  return (upstream, uri, result) => {
    const read = { version: PAGE_RULES_VERSION, report: () => toReport(readPage(result)) };
    return book.meetPage(upstream, uri, { ...definePage(result), read });
  };
}

function toReport(findings: readonly Finding[]): Report {
  const hold = whyBlocked(findings);
  const report = { findings, score: hold === undefined ? 0 : 1, risky: findings.length > 0 };
  return hold === undefined ? report : { ...report, hold };
}
