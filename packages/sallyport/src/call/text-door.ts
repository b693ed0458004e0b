import { isPage } from '../catalog/pins/define-item.ts';
import { type ScanSettings, scanOf } from '../config/scan-section.ts';
import { FaultError } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { type Json, type JsonObject, member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { Answer, Notification, parseMessage } from '../core/message.ts';
import { explainKept, whyOf } from '../guard/scan/results/explain-kept.ts';
import { isBlock, type Treatment } from '../guard/scan/results/findings.ts';
import type { KeptRequest, KeptResults } from '../guard/scan/results/kept-result.ts';
import { isKeptBack, judgeFindings } from '../guard/scan/results/raise-findings.ts';
import { readNotice } from '../guard/scan/results/read-notice.ts';
import { readLoneText, readQuestion, readResult, type Treated } from '../guard/scan/results/read-result.ts';
import { Tail } from '../guard/scan/results/tail.ts';
import { lookUpNames, type ScanPorts, toTreatment } from '../guard/scan-result.ts';

/** What servers send beside the results of calls: resources, prompts, results of tasks, errors, questions, news. */
export interface TextDoor {
  /** The answer as the client gets it. @throws FaultError `denied` for what is kept back, at once or by the promise. */
  treat(source: TextSource, answer: Answer): Answer | Promise<Answer>;
  /** @throws FaultError `denied` for a question with a finding of the block tier. */
  vet(upstream: string, params: JsonObject): void;
  /** From now on what an upstream says while it works on a request is read. */
  watch(upstream: string, exchange: Exchange): void;
  /** News of an upstream as one client gets it; `undefined`: it does not. */
  notice(upstream: string, client: string, notification: Notification): Notification | undefined;
  /** A fault whose message quotes an upstream. */
  fault(upstream: string, fault: FaultError): FaultError;
  /** What a server says of itself, without what is no description: its name and capabilities. */
  introduce<T extends Introduced>(upstream: string | undefined, said: T): T;
}

/** Where an answer came from. */
export interface TextSource {
  readonly upstream: string;
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
  ports: Pick<ScanPorts, 'hostOf' | 'names' | 'kept' | 'judge'> & {
    readonly settings: () => ScanSettings;
    readonly log?: Log;
  },
): TextDoor {
  const isOff = (upstream: string) => {
    const { results, untrusted } = scanOf(ports.settings(), upstream);
    return results === 'off' && !untrusted;
  };
  const tailOf = createTails();
  const notice: TextDoor['notice'] = (upstream, client, notification) => {
    if (isOff(upstream)) return notification;
    const { method, params } = notification;
    const reading = readNotice(notification, {
      treatment: toTreatment(ports, upstream, undefined),
      tail: () => tailOf(`${upstream}\n${client}\n${method}`),
      keepsBack: scanOf(ports.settings(), upstream).results === 'quarantine',
    });
    if (reading === undefined) return notification;
    if (reading.params === params) return notification;
    if (reading.params !== undefined) return rewrite(notification, reading.params);
    const found = reading.findings.map(({ id }) => id);
    ports.log?.warn({ upstream, method: method.slice(0, 64), found }, 'News of a server were kept back');
    return undefined;
  };
  const treatResult = (source: TextSource, answer: Answer, treatment: Treatment): Answer | Promise<Answer> => {
    const { upstream, item, asked } = source;
    const { result } = answer;
    const treated = result && readResult(result, treatment);
    if (result === undefined || treated?.value === undefined) return answer;
    const { results } = scanOf(ports.settings(), upstream);
    if (results === 'show') return answer.withResult(treated.value);
    if (treated.refusal !== undefined)
      throw denied(`What "${upstream}" answered is not handed out: ${treated.refusal}`);
    if (asked !== undefined && ports.kept?.isReleased(asked) === true) return answer.withResult(treated.value);
    const settle = (one: Treated): Answer | Promise<Answer> => {
      if (!isKeptBack(one, results)) return answer.withResult(one.value ?? result);
      if (asked === undefined) throw denied(explainLost(upstream, one));
      return withhold(ports.kept, asked, { result, findings: one.findings });
    };
    if (isKeptBack(treated, results)) return settle(treated);
    const about = { upstream, item, result };
    return (
      judgeFindings(treated, { judge: ports.judge, asked: about, from: treatment })?.then(settle) ?? settle(treated)
    );
  };
  return {
    treat(source, answer) {
      const { upstream, item } = source;
      // Pages of tools are held to what was approved, every byte of them.
      if (isOff(upstream) || (item !== undefined && isPage(item) && answer.isResult)) return answer;
      const treatment = toTreatment(ports, upstream, item);
      if (!answer.isResult) return treatError(answer, treatment);
      const { result } = answer;
      if (result === undefined) return answer;
      const looking = lookUpNames(ports.names, result, treatment);
      if (looking === undefined) return treatResult(source, answer, treatment);
      return looking.then((answers) => treatResult(source, answer, { ...treatment, answers }));
    },
    vet(upstream, params) {
      if (isOff(upstream) || scanOf(ports.settings(), upstream).results === 'show') return;
      const blocked = readQuestion(params, toTreatment(ports, upstream, undefined)).filter(isBlock);
      if (blocked.length > 0) throw denied(`The question is not put to the client: ${whyOf(blocked)}`);
    },
    watch(upstream, exchange) {
      const { key } = exchange.client;
      exchange.heed = isOff(upstream) ? undefined : (notification) => notice(upstream, key, notification);
    },
    notice,
    fault(upstream, fault) {
      // Ours say what was found; theirs quote what a server said.
      if (!QUOTING.has(fault.code) || isOff(upstream)) return fault;
      // Most of it is ours: it is marked for what is found in it alone.
      const treatment = { ...toTreatment(ports, upstream, undefined), untrusted: false };
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
      const treatment = toTreatment(ports, upstream ?? '', undefined);
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

/** Models read the messages of errors; their data is for programs, and goes when there is something in it. */
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
  const said = readLoneText(message, treatment);
  const inside = data === undefined ? [] : readQuestion({ data }, treatment);
  if (treatment.isShown || (said.text === message && inside.length === 0)) return undefined;
  return { message: said.text, data: inside.length === 0 ? data : undefined };
}

/** Fail closed: what cannot be kept is withheld all the same. @throws FaultError `denied`, always */
async function withhold(kept: ScanPorts['kept'], asked: KeptRequest, found: Kept): Promise<never> {
  const id = await kept?.keep(asked, found);
  if (asked.notes !== undefined) asked.notes.keptResult = id;
  const words = {
    what: `What "${asked.tool.upstream}" answered is kept back`,
    after: 'ask for the same again to get this answer; the server is not asked a second time.',
  };
  throw denied(explainKept(words, { id, findings: found.findings }), id);
}

type Kept = Parameters<KeptResults['keep']>[1];

/** States and results of tasks, completions and the like change from one request to the next: none of them is the same again. */
function explainLost(upstream: string, { findings, isUnmarkable }: Treated): string {
  const other = isUnmarkable ? 'show' : 'mark';
  return `What "${upstream}" answered is refused, because it holds what a stranger should not say to you: ${whyOf(findings)} It is not stored. The operator can have such answers handed out with "scan.servers.${upstream}.results": "${other}".`;
}

/** @param kept id under which a person finds it */
function denied(reason: string, kept?: string): FaultError {
  const id = kept === undefined ? {} : { result: kept };
  return new FaultError('denied', reason, {
    data: { 'dev.sallyport/verdict': { kind: 'deny', code: 'denied', guard: 'scan-result', reason, ...id } },
  });
}
