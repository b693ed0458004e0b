import type { ResultScan } from '../../../config/scan-section.ts';
import type { Finding } from '../../../core/finding.ts';
import type { JsonObject } from '../../../core/json.ts';
import { isBlock, type Treatment } from './findings.ts';
import { present, type Treated } from './present-result.ts';

/**
 * A model of the operator's that is asked whether a text is what its findings say. It may raise them to the block tier and
 * clears nothing; what is late, fails or is not understood leaves them as they are.
 */
export type Judge = (asked: Asked) => Promise<'suspicious' | 'unsure'> | undefined;

export interface Asked {
  readonly upstream: string;
  /** Of the result of a tool. */
  readonly tool?: string | undefined;
  /** URI or name of what else was asked for. */
  readonly item?: string | undefined;
  readonly result: JsonObject;
  readonly findings: readonly Finding[];
}

/** What stands in the reason of a finding that was of the review tier. */
const RAISED = 'The operator’s judge finds it suspicious.';

export interface Judging {
  readonly judge: Judge | undefined;
  readonly asked: Pick<Asked, 'upstream' | 'tool' | 'item' | 'result'>;
  readonly from: Treatment;
}

/** Asks about what has findings of the review tier only. `undefined`: nobody is asked. Never rejects. */
export function judgeFindings(treated: Treated, { judge, asked, from }: Judging): Promise<Treated> | undefined {
  const { findings } = treated;
  if (judge === undefined || findings.length === 0 || findings.some(isBlock)) return undefined;
  return judge({ ...asked, findings })?.then(
    (said) => (said === 'suspicious' ? raise(treated, from) : treated),
    () => treated,
  );
}

function raise(treated: Treated, from: Treatment): Treated {
  const findings = treated.findings.map(
    (finding): Finding => ({ ...finding, tier: 'block', why: `${finding.why} ${RAISED}` }),
  );
  const raised = { ...treated, findings };
  return { ...raised, value: present(raised, from) };
}

/** Is it withheld until a person releases it? */
export function isWithheld({ findings }: Treated, results: ResultScan): boolean {
  return results === 'quarantine' && findings.some(isBlock);
}
