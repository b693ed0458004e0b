import type { Group, Level, Rule, Subject } from './rule.ts';
import { nameOf } from './rule.ts';
import { RULES } from './rules.ts';

/** One breach of one rule. */
export interface LintFinding {
  readonly rule: string;
  readonly group: Group;
  readonly level: Level;
  readonly server: string;
  /** `undefined`: the server itself. */
  readonly tool: string | undefined;
  readonly path: string | undefined;
  readonly message: string;
  readonly fix: string;
}

export interface LintReport {
  readonly server: string;
  readonly findings: readonly LintFinding[];
  /** 0 to 100 by tool, and for the server the mean of its tools less what it breaks itself. */
  readonly score: number;
  readonly tools: readonly { readonly tool: string; readonly score: number }[];
}

const COST: Readonly<Record<Level, number>> = { error: 30, warning: 8, note: 2 };
/** One rule broken at twenty parameters is one thing to learn. */
const MOST_OF_ONE_RULE = 3;

/** Lints the definitions of one server. @param isOff rules that the author switched off for a tool */
export function lint(
  subject: Subject,
  isOff: (rule: string, tool: string | undefined) => boolean = () => false,
): LintReport {
  const findings = RULES.flatMap((rule) => [...check(rule, subject)]).filter(({ rule, tool }) => !isOff(rule, tool));
  const tools = subject.tools.map((tool) => {
    const name = nameOf(tool);
    return { tool: name, score: toScore(findings.filter((finding) => finding.tool === name)) };
  });
  const mean = tools.length === 0 ? 100 : tools.reduce((sum, { score }) => sum + score, 0) / tools.length;
  const own = 100 - toScore(findings.filter(({ tool }) => tool === undefined));
  return { server: subject.server, findings, score: Math.max(0, Math.round(mean - own)), tools };
}

function* check(rule: Rule, subject: Subject): Generator<LintFinding> {
  const { id, level, fix } = rule;
  for (const { tool, path, message } of rule.check(subject))
    yield { rule: id, group: id.split('/')[0] as Group, level, server: subject.server, tool, path, message, fix };
}

function toScore(findings: readonly LintFinding[]): number {
  const counts = new Map<string, number>();
  let lost = 0;
  for (const { rule, level } of findings) {
    const count = (counts.get(rule) ?? 0) + 1;
    counts.set(rule, count);
    if (count <= MOST_OF_ONE_RULE) lost += COST[level];
  }
  return Math.max(0, 100 - lost);
}
