// Every operation of the REST API, from the OpenAPI document that the built table of routes makes.
export const page = 'docs/api.md';

/** name of the section -> its text. */
export async function sections() {
  const { describeApi } = await import('../packages/sallyport/dist/control/control.js');
  const rows = Object.entries(describeApi('0').paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, description, responses }]) => {
      const role = /role (\w+)/.exec(description)?.[1] ?? '';
      const types = Object.keys(responses['200'].content);
      const kind = types.includes('application/json') ? '' : ` (${types.join(', ')})`;
      return `| \`${method.toUpperCase()} ${path.replace('/api/v1', '')}\` | ${role} | ${summary.replaceAll('|', '\\|')}${kind} |`;
    }),
  );
  return new Map([['operations', ['| Operation | Role | What |', '| --- | --- | --- |', ...rows].join('\n')]]);
}
