/** A name of at most `most` characters that keeps its first and its last words. */
export function shortenName(name: string, most: number): string {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_.-]/g, '$& ')
    .split(' ');
  while (parts.length > 2 && parts.join('').length > most) parts.splice(Math.floor(parts.length / 2), 1);
  const short = parts.join('').slice(0, most);
  return /[_.-]$/.test(short) ? shortenName(short.slice(0, -1), most) : short;
}

/** The name, or the name with a number where another tool has it. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) {
    const next = `${name.slice(0, 60)}_${number}`;
    if (!taken.has(next)) return next;
  }
}
