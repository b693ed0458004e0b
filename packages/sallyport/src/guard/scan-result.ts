import { type ResultScan, type ScanSettings, scanOf } from '../config/scan-section.ts';
import type { Snapshot } from '../config/settings.ts';
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
import type { Treated } from './scan/results/present-result.ts';
import { isWithheld, type Judge, judgeFindings } from './scan/results/raise-findings.ts';
import { readResult } from './scan/results/read-result.ts';
import { type Of, snapshotOf } from './snapshot-of.ts';
import type { SourceKind } from './sources/source-kind.ts';

export interface ScanPorts {
  readonly settings: Of<ScanSettings>;
  /** Host of a server's address; `undefined`: it runs on this machine. */
  readonly hostOf: (upstream: string, snapshot?: Snapshot) => string | undefined;
  /** What a server is, by its transport and definitions. Left out: each may carry other people's text. */
  readonly kindOf?: ((upstream: string, snapshot?: Snapshot) => SourceKind) | undefined;
  /** Says where the names in links lead. Left out: they are judged as they are written. */
  readonly names?: NamePort | undefined;
  /** Where results go that are withheld. Left out: they are lost. */
  readonly kept?: Pick<KeptResults, 'keep' | 'isReleased'> | undefined;
  /** Asked about what has findings of the review tier. Left out: nobody is. */
  readonly judge?: Judge | undefined;
}

/** Smaller results are parsed already, and read faster than looked through. Bytes. */
const SMALL = 8_192;

/** Reads the results of tools: notes what it finds, warns the model, and does what the operator set beyond that. */
export function scanResult(ports: ScanPorts): Guard {
  const judge = (call: Call, result: JsonObject, treatment: Treatment): Verdict | Promise<Verdict> => {
    const treated = readResult(result, treatment);
    if (treated.value === undefined) return ALLOW;
    const results = resultModeOf(ports, call.tool.upstream, snapshotOf(call));
    if (results === 'show' || ports.kept?.isReleased(call) === true) return rewrite(treated);
    const settle = (one: Treated) => (isWithheld(one, results) ? withhold(ports, call, result, one) : rewrite(one));
    if (isWithheld(treated, results)) return settle(treated);
    const asked = { upstream: call.tool.upstream, tool: call.tool.name, result };
    return judgeFindings(treated, { judge: ports.judge, asked, from: treatment })?.then(settle) ?? settle(treated);
  };
  return {
    name: 'scan-result',
    readsResult(call, message) {
      const { results, untrusted } = scanOf(ports.settings(snapshotOf(call)), call.tool.upstream);
      if (results === 'off') return untrusted;
      return untrusted || message === undefined || message.length < SMALL || mayHoldDemand(message);
    },
    result(call, result) {
      const { upstream, name: item } = call.tool;
      const treatment = { ...toTreatment(ports, { upstream, item, snapshot: snapshotOf(call) }), own: call.arguments };
      const looking = lookUpNames(ports.names, result, treatment);
      if (looking === undefined) return judge(call, result, treatment);
      return looking.then((answers) => judge(call, result, { ...treatment, answers }));
    },
  };
}

/** A server nobody described may bring anything. */
const UNKNOWN: SourceKind = { isLocal: false, carriesOthers: true };

/** What is done with the results of a server now. */
export function resultModeOf(
  { settings, kindOf }: Pick<ScanPorts, 'settings' | 'kindOf'>,
  upstream: string,
  snapshot?: Snapshot,
): ResultScan {
  const { results } = scanOf(settings(snapshot), upstream);
  if (results !== 'by-source') return results;
  const { isLocal, carriesOthers } = kindOf?.(upstream, snapshot) ?? UNKNOWN;
  return carriesOthers && !isLocal ? 'quarantine' : 'warn';
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

export interface TreatedSource {
  readonly upstream: string;
  /** Tool, resource or prompt; `undefined`: the server itself. */
  readonly item: string | undefined;
  readonly snapshot?: Snapshot | undefined;
}

/** How the texts of a server are treated. */
export function toTreatment(
  { settings, hostOf, kindOf }: Pick<ScanPorts, 'settings' | 'hostOf' | 'kindOf'>,
  { upstream, item, snapshot }: TreatedSource,
): Treatment {
  const { results, untrusted, resources } = scanOf(settings(snapshot), upstream);
  return {
    server: upstream,
    item,
    mode: results === 'show' ? 'note' : results === 'clean' ? 'clean' : 'warn',
    untrusted,
    isLocal: () => (kindOf?.(upstream, snapshot) ?? UNKNOWN).isLocal,
    resources,
    ownHost: hostOf(upstream, snapshot),
  };
}

function rewrite({ value, findings }: Treated): Verdict {
  if (value === undefined) return ALLOW;
  const ids = [...new Set(findings.map(({ id }) => id))].join(', ');
  return { kind: 'rewrite', value, reason: ids === '' ? 'The server is untrusted.' : `Found: ${ids}.` };
}

/** Fail closed: what cannot be stored is withheld all the same. */
async function withhold(ports: ScanPorts, call: Call, result: JsonObject, { findings }: Treated): Promise<Verdict> {
  const id = await ports.kept?.keep(call, { result, findings });
  if (call.notes !== undefined) call.notes.keptResult = id;
  return { kind: 'deny', code: 'denied', reason: explainKept(CALLED, { id, findings }) };
}

const CALLED = {
  what: 'The tool was called, and its result is withheld',
  after: 'make the same call again to get this result; the tool is not called a second time.',
};
