/** The part of a page between `<!-- generated: name -->` and `<!-- end -->` becomes `body`. */
export function replaceSection(text, name, body) {
  const start = `<!-- generated: ${name} -->`;
  const from = text.indexOf(start);
  const to = from < 0 ? -1 : text.indexOf('<!-- end -->', from);
  if (to < 0) throw new Error(`the page has no section "${name}"`);
  return `${text.slice(0, from + start.length)}\n\n${body.trim()}\n\n${text.slice(to)}`;
}
