// Every rule that reads what servers answer, from the built tables of rules.
export const page = 'docs/scan.md';

/** name of the section -> its text. */
export async function sections() {
  const { RESULT_RULES } = await import('../packages/sallyport/dist/guard/scan/results/result-rules.js');
  const rows = RESULT_RULES.map(
    ({ id, tier, owasp, why, fix }) => `| \`${id}\` | ${tier} | ${owasp} | ${why} | ${fix} |`,
  );
  const table = ['| Rule | Tier | OWASP | What it says | What to do |', '| --- | --- | --- | --- | --- |', ...rows];
  return new Map([['result rules', table.join('\n')]]);
}
