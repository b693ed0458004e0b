import type { Finding } from '../../../core/finding.ts';
import { isObject, type Json, type JsonObject, member } from '../../../core/json.ts';
import { CONTENT_OWASP } from './check-item.ts';
import { isBlock, type Treatment } from './findings.ts';
import { type Provenance, toWarning } from './warning.ts';

/** In `_meta` of a result in which something was found. */
export const SCAN_META = 'dev.sallyport/scan';
/** Of the item that warns a model, where contents have addresses. */
const WARNING_URI = 'urn:sallyport:warning';

/** What was found in a result, and the result as the model gets it. */
export interface Treated {
  readonly findings: readonly Finding[];
  readonly score: number;
  /** What was rewritten and where, one line each. */
  readonly changes: readonly string[];
  /** Why contents that were read are not handed out; `undefined`: they are. */
  readonly refusal?: string | undefined;
  /** The result after rewriting, without findings and warning; the same object if nothing was rewritten. */
  readonly base: JsonObject;
  /** `undefined`: it goes on as it came. */
  readonly value: JsonObject | undefined;
}

/**
 * The result as a client gets it: all its own items as they came, the findings in `_meta`, and one item more where a model is
 * to be warned. `undefined`: it goes on as it came.
 */
export function present(
  { findings, changes, base }: Pick<Treated, 'findings' | 'changes' | 'base'>,
  treatment: Treatment,
): JsonObject | undefined {
  const warning = warningOf({ findings, changes }, treatment);
  if (findings.length === 0 && warning === undefined) return undefined;
  const noted = findings.length === 0 ? base : withFindings(base, { findings, changes }, treatment);
  return warning === undefined ? noted : withWarning(noted, warning);
}

/** Findings as clients get them, beside what the server said in `_meta`. */
function withFindings(
  value: JsonObject,
  { findings, changes }: Pick<Treated, 'findings' | 'changes'>,
  from: Provenance,
): JsonObject {
  const meta = member(value, '_meta');
  const noted = { ...toMeta(findings, from), ...(changes.length === 0 ? {} : { changes }) };
  return { ...value, _meta: { ...(isObject(meta) ? meta : {}), [SCAN_META]: noted } };
}

/** Without evidence: the model need not read it twice. */
export function toMeta(findings: readonly Finding[], { server, item }: Provenance): JsonObject {
  return {
    server,
    ...(item === undefined ? {} : { item }),
    findings: findings.map(({ id, tier, owasp, where, why }) => ({ id, tier, owasp, where, why })),
  };
}

/** What the model is told before these texts; `undefined`: nothing. */
export function warningOf(
  { findings, changes }: Pick<Treated, 'findings' | 'changes'>,
  treatment: Treatment,
): string | undefined {
  const { mode, untrusted, isLocal, server, item } = treatment;
  if (mode === 'note') return undefined;
  // A model cannot do anything about a wrong media type.
  const said = findings.filter(({ owasp }) => owasp !== CONTENT_OWASP);
  const worth = said.length > 0 && isLocal() ? said.filter(isBlock) : said;
  if (worth.length === 0 && changes.length === 0 && !untrusted) return undefined;
  return toWarning({ server, item, findings: worth, changes });
}

/** Where models read: before the items of a tool's result and the messages of a prompt, behind the contents of a resource. */
function withWarning(result: JsonObject, warning: string): JsonObject {
  const [content, structured] = [member(result, 'content'), member(result, 'structuredContent')];
  if (Array.isArray(content) || structured !== undefined) {
    const items = Array.isArray(content) ? (content as readonly Json[]) : [];
    // Hosts give a model the structured content only where there are no items: the warning must not hide it.
    const text = items.length === 0 && structured !== undefined ? `${warning}\n${JSON.stringify(structured)}` : warning;
    return { ...result, content: [{ type: 'text', text }, ...items] };
  }
  const messages = member(result, 'messages');
  if (Array.isArray(messages))
    return { ...result, messages: [{ role: 'user', content: { type: 'text', text: warning } }, ...messages] };
  const contents = member(result, 'contents');
  // Clients take the first of the contents for the resource itself.
  if (Array.isArray(contents))
    return { ...result, contents: [...contents, { uri: WARNING_URI, mimeType: 'text/plain', text: warning }] };
  // What a task gave in the end (2026-07-28, tasks).
  const inner = member(result, 'result');
  return isObject(inner) ? { ...result, result: withWarning(inner, warning) } : result;
}
