/** The variables of a `.env` file: NAME=value lines, `export` allowed, quotes taken off, `#` comments. */
export function parseEnvFile(text: string): Record<string, string> {
  const found = new Map<string, string>();
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [, name, raw] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && raw !== undefined) found.set(name, unquote(raw));
  }
  return Object.fromEntries(found);
}

function unquote(raw: string): string {
  const [, single] = /^'([^']*)'/.exec(raw) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(raw) ?? [];
  if (double !== undefined)
    return double.replace(/\\(.)/g, (_, character: string) => ESCAPES.get(character) ?? character);
  return raw.replace(/\s+#.*$/, '');
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
