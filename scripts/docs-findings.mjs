// Every rule that reads definitions, from the built tables of rules.
export const page = 'docs/scan-definitions.md';

const dist = '../packages/sallyport/dist';

/** name of the section -> its text. */
export async function sections() {
  const { BLOCK_RULES, HIDDEN_ORDER, MARK_RULES, STRAY_MARK } = await import(`${dist}/guard/scan/block-rules.js`);
  const { FEATURES } = await import(`${dist}/guard/scan/features.js`);
  const { GREED_RULES } = await import(`${dist}/guard/scan/greed.js`);
  const { PARAMETER_RULES } = await import(`${dist}/guard/scan/parameters.js`);
  return new Map([
    ['block rules', toTable([...MARK_RULES.values(), HIDDEN_ORDER, ...BLOCK_RULES])],
    ['review rules', toTable([STRAY_MARK, ...PARAMETER_RULES, ...GREED_RULES, ...FEATURES])],
  ]);
}

function toTable(rules) {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const rows = [...byId.values()].map(({ id, owasp, why, fix }) => `| \`${id}\` | ${owasp} | ${why} | ${fix} |`);
  return ['| Rule | OWASP | What it says | What to do |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
