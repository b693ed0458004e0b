import { serveTools, ToolTrouble } from './serve-tools.ts';

/** Public host names, all answered by the loopback site of the bench: nothing leaves this machine. */
const HOSTS: ReadonlyMap<string, string> = new Map([
  ['shop.example', 'shop'],
  ['docs.example', 'docs'],
  ['news.example', 'news'],
  ['weather.example', 'weather'],
]);

async function fetchPage(written: unknown): Promise<string> {
  const url = new URL(String(written));
  const folder = HOSTS.get(url.hostname);
  if (folder === undefined) throw new ToolTrouble(`cannot resolve ${url.hostname}`);
  const response = await fetch(`${process.env['SITE']}/${folder}${url.pathname}`);
  if (!response.ok) throw new ToolTrouble(`${response.status} ${response.statusText}: ${url.href}`);
  return response.text();
}

serveTools('web', [
  {
    name: 'fetch_page',
    description: 'Fetch a web page and return it as it is.',
    parameters: { url: 'string' },
    run: ({ url }) => fetchPage(url),
  },
  {
    name: 'fetch_text',
    description: 'Fetch a web page and return its text without markup.',
    parameters: { url: 'string' },
    run: async ({ url }) =>
      (await fetchPage(url))
        .replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
  },
  {
    name: 'search',
    description: 'Search the web.',
    parameters: { query: 'string', 'limit?': 'number' },
    run: ({ query }) => [
      {
        title: `Results about ${query}`,
        url: 'https://docs.example/guide.html',
        snippet: 'How to install and configure.',
      },
      {
        title: 'Release notes',
        url: 'https://docs.example/release-notes.html',
        snippet: 'What changed, version by version.',
      },
      { title: 'Prices of the shop', url: 'https://shop.example/prices.html', snippet: 'All prices, updated daily.' },
      { title: 'News of the week', url: 'https://news.example/week.html', snippet: 'What happened.' },
    ],
  },
]);
