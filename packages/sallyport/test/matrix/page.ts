import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { type Column, columns, type Front, type Row, rows } from './cells.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { scenarios } from './scenarios/scenarios.ts';
import type { Endpoint } from './world.ts';

/** `title|revision|column` -> whether the tests of that cell passed, on each of both endpoints. */
export type Results = Map<string, Map<Endpoint, boolean>>;

const page = new URL('../../../../docs/compatibility.md', import.meta.url);
const update = 'SALLYPORT_UPDATE_DOCS';

const frontNames: Readonly<Record<Front, string>> = { stdio: 'stdio', http: 'Streamable HTTP', sse: 'HTTP+SSE' };

const introduction = `# Compatibility

Every client below is put in front of every server below, with Sallyport between them, once on the shared endpoint and
once on the endpoint of that server alone (clients on stdio and HTTP+SSE: alone with two of the servers). A row is a client: how it connects and the protocol revision it speaks. A
column is a server: how Sallyport connects to it and whether it is of the legacy era (with \`initialize\`, up to
2025-11-25), the modern one (2026-07-28), or both, each used for the clients that speak it. ✓ the tests of that cell passed, on both endpoints; – there can be no such
cell, and the note says why.

This page is written by the test that it reports: \`packages/sallyport/test/matrix-*.test.ts\`, which fails when they
differ. After a change of the matrix: \`npx tsc -b && ${update}=1 npx vitest run --project e2e --project more
--no-file-parallelism packages/sallyport/test/matrix-\`.
`;

const conclusion = `## The official client conformance

\`node scripts/conformance-client.mjs\` runs the client suites of the official conformance suite, old and new, with a
Sallyport between the suite's server and a client of each era. Every authorization scenario runs, extensions included:
step-up, \`iss\` checks, servers of 2025-03-26, client credentials by secret and by signed JWT, enterprise-managed
authorization (ID-JAG), workload identity, DPoP with and without nonces. Left out are

- \`auth/2025-03-26-oauth-metadata-backcompat\` of the old suite (0.1), and of that one only: its metadata names another
  issuer than the one it is fetched for, and RFC 8414 section 3.3 forbids to use such metadata. The newer suite has the
  same scenario without that mistake, and there it runs.
- \`sep-2640-*\`: skills are verified by the host that loads them.

The scenario without any metadata (\`auth/2025-03-26-oauth-endpoint-fallback\`) needs \`"defaultEndpoints": true\` for the
server: 2026-07-28 forbids to sign in where nobody says that PKCE is supported, and 2025-03-26 has no way to say so.
`;

/**
 * Compares the rows that were run in the published page with what was found, and everything that is not a result with
 * what the page is made of; writes them instead when asked to. The other rows are the business of their tests.
 */
export function checkPage(isOwn: (row: Row) => boolean, results: Results): void {
  const published = existsSync(page) ? readFileSync(page, 'utf8') : '';
  const others = readRows(published);
  const lines = [introduction];
  for (const scenario of scenarios) lines.push(toSection(scenario, { isOwn, results, others }));
  lines.push(conclusion);
  const made = lines.join('\n');
  if (process.env[update] === '1') writeFileSync(page, made);
  else expect(published, `docs/compatibility.md is out of date: ${update}=1 writes it anew`).toBe(made);
}

interface Sources {
  readonly isOwn: (row: Row) => boolean;
  readonly results: Results;
  readonly others: ReadonlyMap<string, string>;
}

function toSection(scenario: Scenario, { isOwn, results, others }: Sources): string {
  const notes = new Map<string, number>();
  const note = (reason: string) => {
    const number = notes.get(reason) ?? notes.size + 1;
    notes.set(reason, number);
    return `–<sup>${number}</sup>`;
  };
  const line = (row: Row) => {
    const impossible = row.impossible ?? scenario.missing?.(row);
    const marks = columns.map((column) => {
      const reason = impossible ?? column.impossible;
      return reason === undefined ? toMark(results, { scenario, row, column }) : note(reason);
    });
    const key = `${scenario.title}|${toName(row)}`;
    const own = isOwn(row) || impossible !== undefined;
    return own ? toLine([toName(row), ...marks]) : (others.get(key) ?? toLine([toName(row), ...marks]));
  };
  const body = rows.map(line);
  return [
    `## ${scenario.title}`,
    '',
    `${scenario.proves}.`,
    '',
    toLine(['client \\ server', ...columns.map(({ transport, era }) => `${frontNames[transport]}, ${era}`)]),
    toLine(['---', ...columns.map(() => ':---:')]),
    ...body,
    '',
    ...[...notes].map(([reason, number]) => `<sup>${number}</sup> ${reason}.  `),
    '',
  ].join('\n');
}

function toMark(results: Results, { scenario, row, column }: { scenario: Scenario; row: Row; column: Column }): string {
  const found = results.get(toKey(scenario, row, column));
  return found === undefined ? '?' : [...found.values()].every(Boolean) ? '✓' : '✗';
}

export function toKey(scenario: Scenario, row: Row, column: Column): string {
  return `${scenario.title}|${row.revision}|${column.name}`;
}

function toName({ front, revision }: Row): string {
  return `${frontNames[front]}, ${revision}`;
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** `title|client` -> the line it has in a published page. */
function readRows(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let title = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) title = line.slice(3);
    const name = /^\| ([^|]+) \|/.exec(line)?.[1];
    if (name !== undefined) found.set(`${title}|${name}`, line);
  }
  return found;
}
