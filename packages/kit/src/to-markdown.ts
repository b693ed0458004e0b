const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** A result for people to read: lists of records as tables, dates without noise, other values as they are. */
export function toMarkdown(output: Readonly<Record<string, unknown>>): string {
  return Object.entries(output)
    .map(([name, value]) => toSection(name, value))
    .join('\n');
}

function toSection(name: string, value: unknown): string {
  const title = toTitle(name);
  if (!Array.isArray(value)) return `- **${title}:** ${toCell(value)}`;
  if (value.length === 0) return `- **${title}:** none`;
  if (!value.every(isRecord)) return `\n**${title}**\n\n${value.map((item) => `- ${toCell(item)}`).join('\n')}\n`;
  const columns = [...new Set(value.flatMap((row) => Object.keys(row)))];
  const head = `| ${columns.map(toTitle).join(' | ')} |\n|${columns.map(() => ' --- |').join('')}`;
  const rows = value.map((row) => `| ${columns.map((column) => toCell(row[column])).join(' | ')} |`);
  return `\n**${title}**\n\n${[head, ...rows].join('\n')}\n`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toTitle(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string')
    return DATE.test(value) ? value.slice(0, 16).replace('T', ' ') : value.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return typeof value === 'object' ? `\`${JSON.stringify(value).replaceAll('|', '\\|')}\`` : String(value);
}
