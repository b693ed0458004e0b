import { isPage } from '../catalog/pins/define-item.ts';
import { type ScanSettings, scanOf } from '../config/scan-section.ts';
import { FaultError } from '../core/errors.ts';
import type { Finding } from '../core/finding.ts';
import { type Json, type JsonObject, member } from '../core/json.ts';
import { Answer } from '../core/message.ts';
import { findForbiddenUri } from '../guard/scan/results/check-uri.ts';
import {
  readLoneText,
  readPromptResult,
  readQuestion,
  readResourceResult,
  readToolResult,
  type Treated,
  type Treatment,
} from '../guard/scan/results/read-result.ts';
import { type ScanPorts, toTreatment } from '../guard/scan-result.ts';

/** What servers send beside the results of calls: resources, prompts, results of tasks, errors, questions. */
export interface TextDoor {
  /** May this URI be read at this server? @throws FaultError `denied`. */
  mayRead(upstream: string, uri: string): void;
  /** The answer as the client gets it. @throws FaultError `denied` for what is kept back. */
  treat(upstream: string, item: string | undefined, answer: Answer): Answer;
  /** @throws FaultError `denied` for a question with a finding of the block tier. */
  vet(upstream: string, params: JsonObject): void;
}

export function createTextDoor(ports: Pick<ScanPorts, 'hostOf'> & { readonly settings: () => ScanSettings }): TextDoor {
  const isOff = (upstream: string) => {
    const { results, untrusted } = scanOf(ports.settings(), upstream);
    return results === 'off' && !untrusted;
  };
  return {
    mayRead(upstream, uri) {
      const { resources } = scanOf(ports.settings(), upstream);
      const context = { settings: resources, ownHost: ports.hostOf(upstream), isRead: true };
      const why = findForbiddenUri(uri, context);
      if (why !== undefined)
        throw denied(`This resource may not be read: ${why}. The operator can allow it with "scan.resources".`);
    },
    treat(upstream, item, answer) {
      // Pages of tools are held to what was approved, every byte of them.
      if (isOff(upstream) || (item !== undefined && isPage(item))) return answer;
      const treatment = toTreatment(ports, upstream, item);
      if (!answer.isResult) return treatError(answer, treatment);
      const { result } = answer;
      const treated = result && readByShape(result, treatment);
      if (treated?.value === undefined) return answer;
      const { results } = scanOf(ports.settings(), upstream);
      const isBlocked = treated.findings.some(({ tier }) => tier === 'block');
      if (results !== 'show' && (treated.isUnmarkable || (isBlocked && results === 'quarantine')))
        throw denied(`What "${upstream}" answered is kept back: ${whyOf(treated.findings)}`);
      return answer.withResult(treated.value);
    },
    vet(upstream, params) {
      if (isOff(upstream) || scanOf(ports.settings(), upstream).results === 'show') return;
      const blocked = readQuestion(params, toTreatment(ports, upstream, undefined)).filter(
        ({ tier }) => tier === 'block',
      );
      if (blocked.length > 0) throw denied(`The question is not put to the client: ${whyOf(blocked)}`);
    },
  };
}

function readByShape(result: JsonObject, treatment: Treatment): Treated | undefined {
  if (Array.isArray(member(result, 'contents'))) return readResourceResult(result, treatment);
  if (Array.isArray(member(result, 'messages'))) return readPromptResult(result, treatment);
  if (
    Object.hasOwn(result, 'content') ||
    Object.hasOwn(result, 'structuredContent') ||
    Object.hasOwn(result, 'inputRequests')
  )
    return readToolResult(result, treatment);
  return undefined;
}

/** Models read the messages of errors; their data is for programs, and goes when there is something in it. */
function treatError(answer: Answer, treatment: Treatment): Answer {
  const { outcome } = answer;
  if (outcome.kind !== 'error') return answer;
  const { code, message, data } = outcome.error;
  const said = readLoneText(message, treatment);
  const inside = data === undefined ? [] : readQuestion({ data }, treatment);
  if (said.text === message && inside.length === 0) return answer;
  if (treatment.isShown) return answer;
  const kept: Json | undefined = inside.length === 0 ? data : undefined;
  return Answer.error(answer.id, code, said.text, kept);
}

function whyOf(findings: readonly Finding[]): string {
  return [...new Set(findings.filter(({ tier }) => tier === 'block').map(({ why }) => why))].slice(0, 3).join(' ');
}

/** Was an answer kept back because of what stands in it? */
export function isTextRefusal({ data }: FaultError): boolean {
  return member(member(data, 'dev.sallyport/verdict'), 'guard') === 'scan-result';
}

function denied(reason: string): FaultError {
  return new FaultError('denied', reason, {
    data: { 'dev.sallyport/verdict': { kind: 'deny', code: 'denied', guard: 'scan-result', reason } },
  });
}
