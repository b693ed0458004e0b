import type { LintFinding, LintReport } from './lint.ts';
import { LIVE_RULES } from './live-rules.ts';
import type { Level } from './rule.ts';
import { RULES } from './rules.ts';

export type Reporter = (reports: readonly LintReport[], version: string) => string;

const SIGNS: Readonly<Record<Level, string>> = { error: 'error  ', warning: 'warning', note: 'note   ' };

/** How findings are written, by name. */
export const REPORTERS: ReadonlyMap<string, Reporter> = new Map<string, Reporter>([
  ['text', toText],
  ['json', (reports) => JSON.stringify(reports, undefined, 2)],
  ['sarif', toSarif],
  ['junit', toJunit],
  ['markdown', toMarkdown],
]);

export function countOf(reports: readonly LintReport[], level: Level): number {
  return reports.reduce((sum, { findings }) => sum + findings.filter((finding) => finding.level === level).length, 0);
}

function placeOf({ server, tool, path }: LintFinding): string {
  return `${server}${tool === undefined ? '' : `/${tool}`}${path === undefined ? '' : `#${path}`}`;
}

function toText(reports: readonly LintReport[]): string {
  return reports
    .map(({ server, score, tools, findings }) => {
      const lines = findings.map(
        (one) => `  ${SIGNS[one.level]}  ${one.tool ?? '(server)'}  ${one.message}  ${one.rule}`,
      );
      return [`${server}: ${score} of 100, ${tools.length} tools`, ...lines].join('\n');
    })
    .join('\n\n');
}

const SARIF_LEVELS: Readonly<Record<Level, string>> = { error: 'error', warning: 'warning', note: 'note' };

/** SARIF 2.1.0, as code scanning of GitHub reads it: a tool is a logical location. */
function toSarif(reports: readonly LintReport[], version: string): string {
  const rules = [...RULES, ...LIVE_RULES].map(({ id, level, requires, why, fix }) => ({
    id,
    shortDescription: { text: requires },
    fullDescription: { text: why },
    help: { text: fix },
    defaultConfiguration: { level: SARIF_LEVELS[level] },
  }));
  const results = reports.flatMap(({ findings }) =>
    findings.map((finding) => ({
      ruleId: finding.rule,
      level: SARIF_LEVELS[finding.level],
      message: { text: `${finding.message} ${finding.fix}` },
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: encodeURI(finding.server) } },
          logicalLocations: [{ fullyQualifiedName: placeOf(finding), kind: 'function' }],
        },
      ],
    })),
  );
  return JSON.stringify(
    {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'sallyport lint', version, rules } }, results }],
    },
    undefined,
    2,
  );
}

/** One test case for each tool; its findings are failures, notes are only said. */
function toJunit(reports: readonly LintReport[]): string {
  const suites = reports.map(({ server, tools, findings }) => {
    const names = [...new Set([...tools.map(({ tool }) => tool), '(server)'])];
    const cases = names.map((name) => {
      const own = findings.filter(({ tool, level }) => (tool ?? '(server)') === name && level !== 'note');
      const failures = own.map(
        ({ rule, message, fix }) =>
          `<failure type="${toXml(rule)}" message="${toXml(message)}">${toXml(fix)}</failure>`,
      );
      return `    <testcase classname="${toXml(server)}" name="${toXml(name)}">${failures.join('')}</testcase>`;
    });
    const failing = cases.filter((one) => one.includes('<failure')).length;
    return `  <testsuite name="${toXml(server)}" tests="${cases.length}" failures="${failing}">\n${cases.join('\n')}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sallyport lint">\n${suites.join('\n')}\n</testsuites>`;
}

function toMarkdown(reports: readonly LintReport[]): string {
  return reports
    .map(({ server, score, tools, findings }) => {
      const rows = findings.map(
        ({ level, tool, rule, message }) =>
          `| ${level} | ${toCell(tool ?? '(server)')} | ${toCell(message)} | \`${rule}\` |`,
      );
      const table =
        rows.length === 0
          ? 'Nothing to improve.'
          : `| level | tool | finding | rule |\n|---|---|---|---|\n${rows.join('\n')}`;
      return `## ${server}: ${score} of 100 (${tools.length} tools)\n\n${table}`;
    })
    .join('\n\n');
}

function toCell(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('<', '&lt;');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML 1.0 allows no other control characters, not even escaped. */
function toXml(text: string): string {
  return text
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '')
    .replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '\ufffd');
}
