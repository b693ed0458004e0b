import { isPage } from '../catalog/pins/define-item.ts';
import { type ScanSettings, scanOf } from '../config/scan-section.ts';
import type { Snapshot } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { Answer, Notification, parseMessage } from '../core/message.ts';
import { explainKept, whyOf } from '../guard/scan/results/explain-kept.ts';
import { isBlock, type Treatment } from '../guard/scan/results/findings.ts';
import type { KeptRequest, KeptResults } from '../guard/scan/results/kept-result.ts';
import { SCAN_META, type Treated, toMeta, warningOf } from '../guard/scan/results/present-result.ts';
import { isWithheld, judgeFindings } from '../guard/scan/results/raise-findings.ts';
import { readNotice } from '../guard/scan/results/read-notice.ts';
import { readQuestion, readResult } from '../guard/scan/results/read-result.ts';
import { Tail } from '../guard/scan/results/tail.ts';
import { lookUpNames, resultModeOf, type ScanPorts, toTreatment } from '../guard/scan-result.ts';
import type { Of } from '../guard/snapshot-of.ts';

/** What servers send beside the results of calls: resources, prompts, results of tasks, errors, server requests, notifications. */
export interface TextDoor {
  /** The answer as the client gets it. @throws FaultError `denied` for what is withheld, at once or by the promise. */
  treat(source: TextSource, answer: Answer): Answer | Promise<Answer>;
  /** @throws FaultError `denied` for a server request with a finding of the block tier. */
  vet(from: SaidBy, params: JsonObject): void;
  /** From now on what an upstream says while it works on a request is read. */
  watch(from: SaidBy, exchange: Exchange): void;
  /** A notification of an upstream as one client gets it; `undefined`: it does not. */
  notice(upstream: string, client: string, notification: Notification): Notification | undefined;
  /** A fault whose message quotes an upstream. */
  fault(from: SaidBy, fault: FaultError): FaultError;
  /** What a server says of itself, without what is no description: its name and capabilities. */
  introduce<T extends Introduced>(upstream: string | undefined, said: T): T;
}

/** Who says it. */
export interface SaidBy {
  readonly upstream: string;
  /** Of the request it belongs to; left out: it belongs to none. */
  readonly snapshot?: Snapshot | undefined;
}

/** Where an answer came from. */
export interface TextSource extends SaidBy {
  /** Tool, resource, prompt or task; `undefined`: the server itself. */
  readonly item: string | undefined;
  /** What gets the answer again once a person released it. Left out: it is not kept, and lost where it may not be shown. */
  readonly asked?: KeptRequest | undefined;
}

/** Of the answer to `initialize` and `server/discover`; instructions are definitions and read as such. */
export interface Introduced {
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
}

/** Streams of messages whose end is remembered; the oldest makes room. */
const MAX_TAILS = 1_000;

export function createTextDoor(
  ports: Pick<ScanPorts, 'hostOf' | 'kindOf' | 'names' | 'kept' | 'judge'> & {
    readonly settings: Of<ScanSettings>;
    readonly log?: Log;
  },
): TextDoor {
  const isOff = ({ upstream, snapshot }: SaidBy) => {
    const { results, untrusted } = scanOf(ports.settings(snapshot), upstream);
    return results === 'off' && !untrusted;
  };
  const tailOf = createTails();
  const noticeOf = (from: SaidBy, client: string, notification: Notification): Notification | undefined => {
    if (isOff(from)) return notification;
    const { upstream, snapshot } = from;
    const { method, params } = notification;
    const reading = readNotice(notification, {
      treatment: toTreatment(ports, { ...from, item: undefined }),
      tail: () => tailOf(`${upstream}\n${client}\n${method}`),
      withholds: resultModeOf(ports, upstream, snapshot) === 'quarantine',
    });
    if (reading === undefined) return notification;
    if (reading.params === params) return notification;
    if (reading.params !== undefined) return rewrite(notification, reading.params);
    const found = reading.findings.map(({ id }) => id);
    ports.log?.warn({ upstream, method: method.slice(0, 64), found }, 'a notification of a server was withheld');
    return undefined;
  };
  const treatResult = (source: TextSource, answer: Answer, treatment: Treatment): Answer | Promise<Answer> => {
    const { upstream, item, asked, snapshot } = source;
    const { result } = answer;
    const treated = result && readResult(result, treatment);
    if (result === undefined || treated?.value === undefined) return answer;
    const results = resultModeOf(ports, upstream, snapshot);
    if (results === 'show') return answer.withResult(treated.value);
    if (treated.refusal !== undefined) throw withheld(`The result of "${upstream}" is withheld: ${treated.refusal}`);
    if (asked !== undefined && ports.kept?.isReleased(asked) === true) return answer.withResult(treated.value);
    const settle = (one: Treated): Answer | Promise<Answer> => {
      if (!isWithheld(one, results)) return answer.withResult(one.value ?? result);
      if (asked === undefined) throw withheld(explainLost(upstream, one));
      return withhold(ports.kept, asked, { result, findings: one.findings });
    };
    if (isWithheld(treated, results)) return settle(treated);
    const about = { upstream, item, result };
    return (
      judgeFindings(treated, { judge: ports.judge, asked: about, from: treatment })?.then(settle) ?? settle(treated)
    );
  };
  return {
    treat(source, answer) {
      const { item } = source;
      // Pages of tools are held to what was approved, every byte of them.
      if (isOff(source) || (item !== undefined && isPage(item) && answer.isResult)) return answer;
      const treatment = toTreatment(ports, source);
      if (!answer.isResult) return treatError(answer, treatment);
      const { result } = answer;
      if (result === undefined) return answer;
      const looking = lookUpNames(ports.names, result, treatment);
      if (looking === undefined) return treatResult(source, answer, treatment);
      return looking.then((answers) => treatResult(source, answer, { ...treatment, answers }));
    },
    vet(from, params) {
      if (isOff(from) || scanOf(ports.settings(from.snapshot), from.upstream).results === 'show') return;
      const blocked = readQuestion(params, toTreatment(ports, { ...from, item: undefined })).filter(isBlock);
      if (blocked.length > 0) throw refused(`The server request is not passed on: ${whyOf(blocked)}`, {});
    },
    watch(from, exchange) {
      const { key } = exchange.client;
      exchange.heed = isOff(from) ? undefined : (notification) => noticeOf(from, key, notification);
    },
    notice: (upstream, client, notification) => noticeOf({ upstream }, client, notification),
    fault(from, fault) {
      // Ours say what was found; theirs quote what a server said.
      if (!QUOTING.has(fault.code) || isOff(from)) return fault;
      // Most of it is ours: the model is warned for what is found in it alone.
      const treatment = { ...toTreatment(ports, { ...from, item: undefined }), untrusted: false };
      const read = treatSaid(fault, treatment);
      return read === undefined
        ? fault
        : new FaultError(fault.code, read.message, {
            cause: fault,
            ...(read.data === undefined ? {} : { data: read.data }),
          });
    },
    introduce(upstream, said) {
      const settings = ports.settings();
      const results = upstream === undefined ? settings.results : scanOf(settings, upstream).results;
      if (results === 'off' || results === 'show') return said;
      const treatment = toTreatment(ports, { upstream: upstream ?? '', item: undefined });
      const isBad = (value: JsonObject) => readQuestion(value, treatment).some(isBlock);
      const { serverInfo, capabilities } = said;
      return {
        ...said,
        ...(isBad(serverInfo) ? { serverInfo: { name: upstream ?? 'sallyport', version: '' } } : {}),
        ...(isBad(capabilities) ? { capabilities: withoutExtras(capabilities) } : {}),
      };
    },
  };
}

/** Faults of ours whose messages quote what a server said. */
const QUOTING: ReadonlySet<string> = new Set([
  'unreachable',
  'not_ready',
  'upstream_protocol',
  'upstream_unauthenticated',
  'overloaded',
  'timeout',
]);

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

/** The token of progress is the client's own, as it wrote it: a number may be beyond what a double holds. */
function rewrite(notification: Notification, params: JsonObject): Notification {
  const own = Notification.of(notification.method, params);
  const token = notification.param('progressToken');
  if (token === undefined) return own;
  const edit = own.setParam('progressToken', notification.bytes.toString('utf8', token.start, token.end));
  const message = parseMessage(Buffer.from(own.write([edit]), 'latin1'));
  return message instanceof Notification ? message : own;
}

/** What the protocol defines holds no words of a server's own. */
function withoutExtras({ experimental: _, extensions: __, ...rest }: JsonObject): JsonObject {
  const known: [string, Json][] = [];
  for (const name of ['tools', 'resources', 'prompts', 'completions', 'logging', 'tasks']) {
    const value = member(rest, name);
    if (value !== undefined) known.push([name, keepFlags(value)]);
  }
  return Object.fromEntries(known);
}

function keepFlags(value: Json): Json {
  const flags = ['listChanged', 'subscribe'].filter((flag) => member(value, flag) === true);
  return Object.fromEntries(flags.map((flag) => [flag, true]));
}

/**
 * Models read the messages of errors. The block tier of a server that is not local puts one sentence before the message, which
 * is otherwise the server's own; findings of any tier stand in `data` where that is free for them.
 */
function treatError(answer: Answer, treatment: Treatment): Answer {
  const { outcome } = answer;
  if (outcome.kind !== 'error') return answer;
  const said = treatSaid(outcome.error, treatment);
  return said === undefined ? answer : Answer.error(answer.id, outcome.error.code, said.message, said.data);
}

interface Said {
  readonly message: string;
  readonly data?: Json | undefined;
}

/** `undefined`: as it came. */
function treatSaid({ message, data }: Said, treatment: Treatment): Said | undefined {
  const findings = readQuestion({ message, ...(data === undefined ? {} : { data }) }, treatment);
  if (findings.length === 0 || treatment.isLocal()) return undefined;
  const noted = data === undefined ? {} : isObject(data) ? data : undefined;
  const blocked = findings.filter(isBlock);
  const warning = blocked.length === 0 ? undefined : warningOf({ findings: blocked, changes: [] }, treatment);
  return {
    message: warning === undefined ? message : `${warning} ${message}`,
    data: noted === undefined ? data : { ...noted, [SCAN_META]: toMeta(findings, treatment) },
  };
}

/** Fail closed: what cannot be stored is withheld all the same. @throws FaultError `denied`, always */
async function withhold(kept: ScanPorts['kept'], asked: KeptRequest, found: Kept): Promise<never> {
  const id = await kept?.keep(asked, found);
  if (asked.notes !== undefined) asked.notes.keptResult = id;
  const words = {
    what: `"${asked.tool.upstream}" answered, and its result is withheld`,
    after: 'make the same request again to get it; the server is not asked a second time.',
  };
  throw withheld(explainKept(words, { id, findings: found.findings }), id);
}

type Kept = Parameters<KeptResults['keep']>[1];

/** States and results of tasks, completions and the like change from one request to the next: none of them is the same again. */
function explainLost(upstream: string, { findings }: Treated): string {
  return `"${upstream}" answered, and its result is withheld: ${whyOf(findings)} Such a result is not stored, so nobody can release it. Tell the user.`;
}

/** The server answered, and its answer is not handed out. @param kept id under which a person finds it */
function withheld(reason: string, kept?: string): FaultError {
  return refused(reason, { outcome: 'withheld', ...(kept === undefined ? {} : { result: kept }) });
}

function refused(reason: string, more: JsonObject): FaultError {
  return new FaultError('denied', reason, {
    data: { 'dev.sallyport/verdict': { kind: 'deny', code: 'denied', guard: 'scan-result', reason, ...more } },
  });
}
