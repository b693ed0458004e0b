import { type ResultScan, type ScanSettings, scanOf } from '../config/scan-section.ts';
import { splitCapabilities } from '../core/declared-capabilities.ts';
import type { Envelope, FrozenSnapshot } from '../core/envelope.ts';
import type { Finding } from '../core/finding.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { NameAnswers, NamePort } from '../core/name-port.ts';
import { isPage } from '../core/page-uri.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from './guard.ts';
import { namesIn } from './resources/names-in.ts';
import { explainKept, type KeptWords, whyOf } from './scan/results/explain-kept.ts';
import { isBlock, type Treatment } from './scan/results/findings.ts';
import { isRepeatable, type KeptResults } from './scan/results/kept-result.ts';
import { mayHoldDemand } from './scan/results/may-hold.ts';
import { present, SCAN_META, type Treated, toMeta, warningOf } from './scan/results/present-result.ts';
import { isWithheld, type Judge, judgeFindings } from './scan/results/raise-findings.ts';
import { readNotice } from './scan/results/read-notice.ts';
import { readQuestion, readResult } from './scan/results/read-result.ts';
import { Tail } from './scan/results/tail.ts';
import { UNREAD, UNREAD_WEIGHT } from './scan/results/unread.ts';
import type { SourceKind } from './sources/source-kind.ts';

export interface ScanPorts {
  readonly settings: (snapshot: FrozenSnapshot) => ScanSettings;
  /** Host of a server's address; `undefined`: it runs on this machine. */
  readonly hostOf: (snapshot: FrozenSnapshot, upstream: string) => string | undefined;
  /** What a server is, by its transport and definitions. Left out: each may carry other people's text. */
  readonly kindOf?: ((snapshot: FrozenSnapshot, upstream: string) => SourceKind) | undefined;
  /** Says where the names in links lead. Left out: they are judged as they are written. */
  readonly names?: NamePort | undefined;
  /** Where results go that are withheld. Left out: they are lost. */
  readonly kept?: Pick<KeptResults, 'keep' | 'isReleased'> | undefined;
  /** Asked about what has findings of the review tier. Left out: nobody is. */
  readonly judge?: ((snapshot: FrozenSnapshot, asked: Parameters<Judge>[0]) => ReturnType<Judge>) | undefined;
}

/** Smaller results are parsed already, and read faster than looked through. Bytes. */
const SMALL = 8_192;

/** Reads what servers send: notes what it finds, warns the model, and does what the operator set beyond that. */
export function scanResult(ports: ScanPorts): Guard {
  const tails = createTails();
  return {
    name: 'scan-result',
    isReader: true,
    kinds: ['result', 'contents', 'error', 'server_request', 'server_notification', 'server_info'],
    reads({ snapshot, upstream, kind }, message) {
      const { results, untrusted } = scanOf(ports.settings(snapshot), upstream);
      if (results === 'off') return untrusted;
      if (kind !== 'call') return true;
      return untrusted || message === undefined || message.length < SMALL || mayHoldDemand(message);
    },
    judge(envelope) {
      switch (envelope.kind) {
        case 'error':
          return readError(ports, envelope);
        case 'server_request':
          return readServerRequest(ports, envelope);
        case 'server_notification':
          return readServerNotification(ports, envelope, tails);
        case 'server_info':
          return readServerInfo(ports, envelope);
        default:
          return readAnswer(ports, envelope);
      }
    },
    late: (envelope) => presentUnread(ports, envelope),
  };
}

function readAnswer(ports: ScanPorts, envelope: Envelope): Verdict | Promise<Verdict> {
  const { asked, kind, target, body } = envelope;
  // Pages of tools are held to what was approved, every byte of them.
  if (kind === 'contents' && isPage(target)) return ALLOW;
  const treatment = { ...toTreatment(ports, envelope, target), ...(kind === 'result' ? { own: asked?.body } : {}) };
  const looking = lookUpNames(ports.names, body, treatment);
  if (looking === undefined) return judgeAnswer(ports, envelope, treatment);
  return looking.then((answers) => judgeAnswer(ports, envelope, { ...treatment, answers }));
}

function judgeAnswer(ports: ScanPorts, envelope: Envelope, treatment: Treatment): Verdict | Promise<Verdict> {
  const { body: result, upstream, target, snapshot, kind, asked = envelope } = envelope;
  const treated = readResult(result, treatment);
  if (treated.value === undefined) return ALLOW;
  const results = resultModeOf(ports, envelope);
  if (results === 'show') return rewrite(treated);
  if (treated.refusal !== undefined && kind === 'contents')
    return withheld(`The result of "${upstream}" is withheld: ${treated.refusal}`);
  if (ports.kept?.isReleased(asked) === true) return rewrite(treated);
  const settle = (one: Treated) => (isWithheld(one, results) ? withhold(ports, envelope, one) : rewrite(one));
  if (isWithheld(treated, results)) return settle(treated);
  const about = { upstream, ...(kind === 'result' ? { tool: target } : { item: target }), result };
  const judge: Judge | undefined = ports.judge && ((found) => ports.judge?.(snapshot, found));
  return judgeFindings(treated, { judge, asked: about, from: treatment })?.then(settle) ?? settle(treated);
}

/** What nobody had time to read: withheld where findings are, else it passes with that as a finding. */
function presentUnread(ports: ScanPorts, envelope: Envelope): Verdict | Promise<Verdict> {
  const { kind, target, body } = envelope;
  const unread = 'It is too expensive to be read.';
  if (kind !== 'result' && kind !== 'contents') return withheld(`"${envelope.upstream}" said something. ${unread}`);
  const treatment = toTreatment(ports, envelope, target);
  const findings: readonly Finding[] = [
    {
      ...{ id: UNREAD.id, owasp: UNREAD.owasp, tier: 'review', where: '', start: 0, end: 0, evidence: '' },
      why: unread,
      fix: 'Ask for less at once, or in parts.',
    },
  ];
  const treated = { findings, score: UNREAD_WEIGHT, changes: [], base: body };
  const value = present(treated, treatment);
  return resultModeOf(ports, envelope) === 'quarantine'
    ? withhold(ports, envelope, { ...treated, value })
    : rewrite({ ...treated, value });
}

/**
 * Models read the messages of errors. The block tier of a server that is not local puts one sentence before the message, which
 * is otherwise the server's own; findings of any tier stand in `data` where that is free for them.
 */
function readError(ports: ScanPorts, envelope: Envelope): Verdict {
  const { body, target } = envelope;
  const treatment = toTreatment(ports, envelope, target);
  const { message, data } = body;
  const findings = readQuestion(
    { ...(message === undefined ? {} : { message }), ...(data === undefined ? {} : { data }) },
    treatment,
  );
  if (findings.length === 0 || treatment.isLocal()) return ALLOW;
  const noted = data === undefined ? {} : isObject(data) ? data : undefined;
  const blocked = findings.filter(isBlock);
  const warning = blocked.length === 0 ? undefined : warningOf({ findings: blocked, changes: [] }, treatment);
  const value = {
    ...body,
    ...(warning === undefined ? {} : { message: `${warning} ${String(message)}` }),
    ...(noted === undefined ? {} : { data: { ...noted, [SCAN_META]: toMeta(findings, treatment) } }),
  };
  return { kind: 'rewrite', value, reason: `Found: ${namesOf(findings)}.` };
}

function readServerRequest(ports: ScanPorts, envelope: Envelope): Verdict {
  if (scanOf(ports.settings(envelope.snapshot), envelope.upstream).results === 'show') return ALLOW;
  const blocked = readQuestion(envelope.body, toTreatment(ports, envelope, undefined)).filter(isBlock);
  return blocked.length === 0 ? ALLOW : withheld(`The server request is not passed on: ${whyOf(blocked)}`);
}

function readServerNotification(ports: ScanPorts, envelope: Envelope, tails: (key: string) => Tail): Verdict {
  const { upstream, client, target: method, body: params } = envelope;
  const reading = readNotice(
    { method, params },
    {
      treatment: toTreatment(ports, envelope, undefined),
      tail: () => tails(`${upstream}\n${client.key}\n${method}`),
      withholds: resultModeOf(ports, envelope) === 'quarantine',
    },
  );
  if (reading === undefined || reading.params === params) return ALLOW;
  const reason = `Found: ${namesOf(reading.findings)}.`;
  return reading.params === undefined ? withheld(reason) : { kind: 'rewrite', value: reading.params, reason };
}

/** What a server says of itself holds no description: name and capabilities with a finding of the block tier are left out. */
function readServerInfo(ports: ScanPorts, envelope: Envelope): Verdict {
  const { results } = scanOf(ports.settings(envelope.snapshot), envelope.upstream);
  if (results === 'show') return ALLOW;
  const { serverInfo, capabilities } = envelope.body;
  const treatment = toTreatment(ports, envelope, undefined);
  const isBad = (value: Json | undefined) => isObject(value) && readQuestion(value, treatment).some(isBlock);
  const [isBadInfo, isBadList] = [isBad(serverInfo), isBad(capabilities)];
  if (!isBadInfo && !isBadList) return ALLOW;
  const value = {
    ...envelope.body,
    ...(isBadInfo ? { serverInfo: { name: envelope.upstream || 'sallyport', version: '' } } : {}),
    ...(isBadList && isObject(capabilities) ? { capabilities: splitCapabilities(capabilities).protocol } : {}),
  };
  return { kind: 'rewrite', value, reason: 'What the server says of itself holds orders to a model.' };
}

/** Streams of messages whose end is remembered; the oldest makes room. */
const MAX_TAILS = 1_000;

function createTails(): (key: string) => Tail {
  const tails = new Map<string, Tail>();
  return (key) => {
    let tail = tails.get(key);
    if (tail === undefined) {
      tail = new Tail();
      tails.set(key, tail);
      if (tails.size > MAX_TAILS) for (const oldest of [...tails.keys()].slice(0, MAX_TAILS / 10)) tails.delete(oldest);
    }
    return tail;
  };
}

type Place = Pick<Envelope, 'snapshot' | 'upstream'>;

/** A server nobody described may bring anything. */
const UNKNOWN: SourceKind = { isLocal: false, carriesOthers: true };

/** What is done with the results of a server now. */
function resultModeOf({ settings, kindOf }: ScanPorts, { snapshot, upstream }: Place): ResultScan {
  const { results } = scanOf(settings(snapshot), upstream);
  if (results !== 'by-source') return results;
  const { isLocal, carriesOthers } = kindOf?.(snapshot, upstream) ?? UNKNOWN;
  return carriesOthers && !isLocal ? 'quarantine' : 'warn';
}

/** `undefined`: there is no name in it to be looked up, as in nearly all of them. */
function lookUpNames(
  names: NamePort | undefined,
  result: JsonObject,
  { resources, ownHost }: Treatment,
): Promise<NameAnswers> | undefined {
  if (names === undefined || resources.private || resources.names === 'text') return undefined;
  const found = namesIn(result, { settings: resources, ownHost });
  return found.length === 0 ? undefined : names.lookUp(found);
}

/** How the texts of a server are treated now. @param item tool, resource or prompt */
function toTreatment(
  { settings, hostOf, kindOf }: ScanPorts,
  { snapshot, upstream }: Place,
  item: string | undefined,
): Treatment {
  const { results, untrusted, resources } = scanOf(settings(snapshot), upstream);
  return {
    server: upstream,
    item,
    mode: results === 'show' ? 'note' : results === 'clean' ? 'clean' : 'warn',
    untrusted,
    isLocal: () => (kindOf?.(snapshot, upstream) ?? UNKNOWN).isLocal,
    resources,
    ownHost: hostOf(snapshot, upstream),
  };
}

function rewrite({ value, findings }: Treated): Verdict {
  if (value === undefined) return ALLOW;
  const ids = namesOf(findings);
  return { kind: 'rewrite', value, reason: ids === '' ? 'The server is untrusted.' : `Found: ${ids}.` };
}

function namesOf(findings: readonly Finding[]): string {
  return [...new Set(findings.map(({ id }) => id))].join(', ');
}

function withheld(reason: string): Verdict {
  return { kind: 'deny', code: 'denied', reason };
}

/** Fail closed: what cannot be stored is withheld all the same. */
async function withhold(
  ports: ScanPorts,
  { asked, body: result, upstream }: Envelope,
  { findings }: Treated,
): Promise<Verdict> {
  // States and results of tasks, completions and the like change from one request to the next.
  if (asked === undefined || !isRepeatable(asked))
    return withheld(
      `"${upstream}" answered, and its result is withheld: ${whyOf(findings)} Such a result is not stored, so nobody can release it. Tell the user.`,
    );
  const id = await ports.kept?.keep(asked, { result, findings });
  if (asked.notes !== undefined) asked.notes.keptResult = id;
  return withheld(explainKept(asked.kind === 'call' ? CALLED : toAnswered(upstream), { id, findings }));
}

const CALLED = {
  what: 'The tool was called, and its result is withheld',
  after: 'make the same call again to get this result; the tool is not called a second time.',
};

function toAnswered(upstream: string): KeptWords {
  return {
    what: `"${upstream}" answered, and its result is withheld`,
    after: 'make the same request again to get it; the server is not asked a second time.',
  };
}
