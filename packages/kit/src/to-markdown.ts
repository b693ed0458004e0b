const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/;

type Members = Readonly<Record<string, unknown>>;

/** A result for people to read: lists of records as tables, dates without noise, ids beside their names, other values as they are. */
export function toMarkdown(output: Members): string {
  return Object.entries(withNames(output))
    .map(([name, value]) => toSection(name, value))
    .join('\n');
}

function toSection(name: string, value: unknown): string {
  const title = toTitle(name);
  if (!Array.isArray(value)) return `- **${title}:** ${toCell(value)}`;
  if (value.length === 0) return `- **${title}:** none`;
  if (!value.every(isRecord)) return `\n**${title}**\n\n${value.map((item) => `- ${toCell(item)}`).join('\n')}\n`;
  const named = value.map(withNames);
  const columns = [...new Set(named.flatMap((row) => Object.keys(row)))];
  const head = `| ${columns.map(toTitle).join(' | ')} |\n|${columns.map(() => ' --- |').join('')}`;
  const rows = named.map((row) => `| ${columns.map((column) => toCell(row[column])).join(' | ')} |`);
  return `\n**${title}**\n\n${[head, ...rows].join('\n')}\n`;
}

/** An id and its name are one value for people: `Ada (7)`. */
function withNames(record: Members): Members {
  const ids = new Map<string, string>();
  for (const key of Object.keys(record)) {
    const id = key === 'name' || (key === 'title' && !('name' in record)) ? 'id' : key.replace(/_name$/, '_id');
    if (id !== key && Object.hasOwn(record, id) && isPlain(record[id]) && isPlain(record[key])) ids.set(id, key);
  }
  if (ids.size === 0) return record;
  const byName = new Map([...ids].map(([id, name]) => [name, id]));
  return Object.fromEntries(
    Object.entries(record)
      .filter(([key]) => !ids.has(key))
      .map(([key, value]) => {
        const id = byName.get(key);
        return [key, id === undefined ? value : `${value} (${record[id]})`];
      }),
  );
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function isRecord(value: unknown): value is Members {
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
