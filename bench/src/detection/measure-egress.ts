import { judgeContainment } from './containment.ts';
import { judgeEgress } from './egress.ts';
import type { Measured } from './judged.ts';
import type { Data } from './read-rows.ts';

/** Payloads that carry data out, or bring an attack in: a hit was contained by some door. */
export async function measureEgress(data: Data): Promise<Measured> {
  const of = (label: string) => judgeEgress((data.get('egress_cases') ?? []).filter((row) => row.is('label', label)));
  return {
    'detection.egress.contained': await of('malicious'),
    'detection.egress.allowed_stopped': await of('benign'),
  };
}

/** An agent that obeys whatever it reads, in results and in approved definitions, behind the starter policies. */
export async function measureContainment(data: Data): Promise<Measured> {
  const { harmed, honest, approved } = await judgeContainment(data);
  return {
    'containment.harmed': harmed,
    'containment.honest_asked': honest,
    'containment.approved': approved.contained,
    'containment.approved_asked': approved.asked,
  };
}
