import { randomBytes } from 'node:crypto';
import { type ScanSettings, scanOf } from '../config/scan-section.ts';
import type { Call } from '../core/call.ts';
import type { JsonObject } from '../core/json.ts';
import type { NameAnswers, NamePort } from '../core/name-port.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';
import { namesIn } from './resources/names-in.ts';
import { explainKept } from './scan/results/explain-kept.ts';
import type { Treatment } from './scan/results/findings.ts';
import type { KeptResults } from './scan/results/kept-result.ts';
import { mayHoldDemand } from './scan/results/may-hold.ts';
import { isKeptBack, type Judge, judgeFindings } from './scan/results/raise-findings.ts';
import { readResult, type Treated } from './scan/results/read-result.ts';

export interface ScanPorts {
  /** Of the snapshot in force. */
  readonly settings: () => ScanSettings;
  /** Host of a server's address; `undefined`: it runs on this machine. */
  readonly hostOf: (upstream: string) => string | undefined;
  /** Says where the names in links lead. Left out: they are judged as they are written. */
  readonly names?: NamePort | undefined;
  /** Where results go that are kept back. Left out: they are withheld and lost. */
  readonly kept?: Pick<KeptResults, 'keep' | 'isReleased'> | undefined;
  /** Asked about what has findings of the review tier. Left out: nobody is. */
  readonly judge?: Judge | undefined;
}

/** Smaller results are parsed already, and read faster than looked through. Bytes. */
const SMALL = 8_192;

/** Reads what tools answer: makes harmless what carries data out, marks strangers' demands, keeps back the worst. */
export function scanResult(ports: ScanPorts): Guard {
  const settingsOf = (call: Call) => scanOf(ports.settings(), call.tool.upstream);
  const judge = (call: Call, result: JsonObject, treatment: Treatment): Verdict | Promise<Verdict> => {
    const { results } = settingsOf(call);
    const treated = readResult(result, treatment);
    if (treated.value === undefined) return ALLOW;
    if (results === 'show' || ports.kept?.isReleased(call) === true) return rewrite(treated);
    const settle = (one: Treated) => (isKeptBack(one, results) ? withhold(ports, call, result, one) : rewrite(one));
    if (isKeptBack(treated, results)) return settle(treated);
    const asked = { upstream: call.tool.upstream, tool: call.tool.name, result };
    return judgeFindings(treated, { judge: ports.judge, asked, from: treatment })?.then(settle) ?? settle(treated);
  };
  return {
    name: 'scan-result',
    readsResult(call, message) {
      const { results, untrusted } = settingsOf(call);
      if (results === 'off') return untrusted;
      return untrusted || message === undefined || message.length < SMALL || mayHoldDemand(message);
    },
    result(call, result) {
      const treatment = toTreatment(ports, call.tool.upstream, call.tool.name);
      const looking = lookUpNames(ports.names, result, treatment);
      if (looking === undefined) return judge(call, result, treatment);
      return looking.then((answers) => judge(call, result, { ...treatment, answers }));
    },
  };
}

/** `undefined`: there is no name in it to be looked up, as in nearly all of them. */
export function lookUpNames(
  names: NamePort | undefined,
  result: JsonObject,
  { resources, ownHost }: Treatment,
): Promise<NameAnswers> | undefined {
  if (names === undefined || resources.private || resources.names === 'text') return undefined;
  const found = namesIn(result, { settings: resources, ownHost });
  return found.length === 0 ? undefined : names.lookUp(found);
}

/** How the texts of a server are treated now. @param item tool, resource or prompt */
export function toTreatment(
  { settings, hostOf }: Pick<ScanPorts, 'settings' | 'hostOf'>,
  upstream: string,
  item: string | undefined,
): Treatment {
  const { results, untrusted, resources } = scanOf(settings(), upstream);
  return {
    server: upstream,
    item,
    isShown: results === 'show',
    untrusted,
    resources,
    ownHost: hostOf(upstream),
    makeTag: () => randomBytes(6).toString('hex'),
  };
}

function rewrite({ value, findings }: Treated): Verdict {
  if (value === undefined) return ALLOW;
  const ids = [...new Set(findings.map(({ id }) => id))].join(', ');
  return { kind: 'rewrite', value, reason: ids === '' ? 'A text of a stranger was marked.' : `Found: ${ids}.` };
}

/** Fail closed: what cannot be kept is withheld all the same. */
async function withhold(ports: ScanPorts, call: Call, result: JsonObject, { findings }: Treated): Promise<Verdict> {
  const id = await ports.kept?.keep(call, { result, findings });
  if (call.notes !== undefined) call.notes.keptResult = id;
  return { kind: 'deny', code: 'denied', reason: explainKept(CALLED, { id, findings }) };
}

const CALLED = {
  what: 'The tool was called. Its result is kept back',
  after: 'make the same call again to get this result; the tool is not called a second time.',
};
