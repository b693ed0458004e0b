import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { LintFinding } from '../lint/lint.ts';
import { type Answer, LIVE_RULES } from '../lint/live-rules.ts';
import { nameOf } from '../lint/rule.ts';
import type { Session } from './open-session.ts';

/** Calls each tool that says it is read-only, without arguments: a complete call where it needs none, else a wrong one. */
export async function callLive(session: Session, tools: readonly JsonObject[]): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const tool of tools) {
    if (member(member(tool, 'annotations'), 'readOnlyHint') !== true) continue;
    const required = member(member(tool, 'inputSchema'), 'required');
    const missing = Array.isArray(required) ? required.filter((name: Json) => typeof name === 'string') : [];
    const outcome = await session.request('tools/call', { name: nameOf(tool), arguments: {} });
    const answer: Answer = {
      tool,
      isIncomplete: missing.length > 0,
      missing: missing as readonly string[],
      result: outcome.kind === 'result' && isObject(outcome.result) ? outcome.result : undefined,
      error: outcome.kind === 'error' ? outcome.error.message : undefined,
    };
    for (const { id, level, fix, check } of LIVE_RULES) {
      const message = check(answer);
      if (message === undefined) continue;
      const group = id.startsWith('results/') ? 'results' : 'errors';
      findings.push({
        rule: id,
        group,
        level,
        server: session.server,
        tool: nameOf(tool),
        path: undefined,
        message,
        fix,
      });
    }
  }
  return findings;
}
