// Writes the generated parts of the guides; `--check` writes nothing and fails when one is out of date. Needs the build.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as api from './docs-api.mjs';
import * as commands from './docs-commands.mjs';
import * as configuration from './docs-configuration.mjs';
import * as errors from './docs-errors.mjs';
import * as findings from './docs-findings.mjs';
import * as resultRules from './docs-result-rules.mjs';
import { replaceSection } from './docs-section.mjs';
import * as sets from './docs-sets.mjs';
import * as threats from './docs-threats.mjs';

let stale = 0;
for (const { page, sections } of [
  api,
  configuration,
  commands,
  errors,
  findings,
  resultRules,
  threats,
  ...sets.pages,
]) {
  const file = fileURLToPath(new URL(`../${page}`, import.meta.url));
  const before = readFileSync(file, 'utf8');
  let after = before;
  for (const [name, body] of await sections()) after = replaceSection(after, name, body);
  if (after === before) continue;
  stale++;
  if (process.argv.includes('--check')) process.stderr.write(`${page} is out of date: node scripts/docs.mjs\n`);
  else writeFileSync(file, after);
}
process.exitCode = stale > 0 && process.argv.includes('--check') ? 1 : 0;
