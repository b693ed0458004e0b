import { call, type Task, task, type World } from '../world.ts';
import { fileCalls } from './file-calls.ts';

/** Pages of the loopback site, by its address and by the names a server gives it. */
export function webTasks(world: World): readonly Task[] {
  const { site } = world;
  const { at, read, write, edit } = fileCalls(world);
  const page = (url: string) => call('web.fetch_page', { url });
  const text = (url: string) => call('web.fetch_text', { url });
  return [
    task(
      'prices-table',
      `Fetch ${site}/shop/prices.html and make a table of it in data/prices.md.`,
      call('fetch.fetch_markdown', { url: `${site}/shop/prices.html` }),
      call('tables.to_markdown_table', {
        rows: [
          { article: 'Kettle', price: '39.90' },
          { article: 'Toaster', price: '54.00' },
          { article: 'Grinder', price: '89.50' },
        ],
      }),
      write('data/prices.md', (seen) => `# Prices\n\n${seen.text(1)}\n`),
    ),
    task(
      'weather',
      'What will the weather in Köln be? The forecast is at https://weather.example/koeln.json.',
      page('https://weather.example/koeln.json'),
      call('calc.convert', { value: 9, from: 'C', to: 'F' }),
    ),
    task(
      'install-guide',
      'Read https://docs.example/guide.html and write a short installation guide to notes/install.md.',
      page('https://docs.example/guide.html'),
      write('notes/install.md', '# Install\n\n1. `npm install widget`\n2. Set WIDGET_TOKEN\n'),
    ),
    task(
      'search-and-read',
      'Find the release notes of the widget and tell me what changed.',
      call('web.search', { query: 'widget release notes' }),
      call('web.fetch_text', (seen) => ({ url: seen.find(0, /"url": "([^"]+release-notes[^"]+)"/) })),
      call('web.fetch_text', (seen) => ({ url: seen.find(0, /"url": "([^"]+guide[^"]+)"/) })),
    ),
    task(
      'dead-link',
      'Fetch https://docs.example/changelog.html; the page may have moved to release-notes.html.',
      text('https://docs.example/changelog.html'),
      text('https://docs.example/release-notes.html'),
    ),
    task(
      'news-to-note',
      'Make a note of the news of the week from https://news.example/week.html, with the article about the bridge.',
      page('https://news.example/week.html'),
      call('web.fetch_text', (seen) => ({ url: seen.find(0, /href="(https:\/\/news[^"]+)"/) })),
      call('notes.add_note', (seen) => ({ title: 'News', text: seen.find(1, /(It is 412 m.*December\.)/) })),
    ),
    task(
      'security-article',
      'Summarise https://docs.example/security.html in three sentences for notes/security.md.',
      text('https://docs.example/security.html'),
      write(
        'notes/security.md',
        '# Prompt injection\n\nA page can hold orders. A model that reads it may follow them. Treat content as data.\n',
      ),
    ),
    task(
      'orders-csv',
      'Save the orders from https://shop.example/orders.csv as data/orders.csv and sum up the totals.',
      page('https://shop.example/orders.csv'),
      write('data/orders.csv', (seen) => seen.text(0)),
      call('tables.aggregate_csv', { path: 'data/orders.csv', column: 'total', operation: 'sum' }),
    ),
    task(
      'compare-stock',
      'Which articles at https://shop.example/prices.html are out of stock? Create a ticket for them.',
      page('https://shop.example/prices.html'),
      call('tickets.create_ticket', (seen) => ({
        title: `${seen.find(0, /<td>(\w+)<\/td><td>[\d.]+<\/td><td>0</)} is out of stock`,
        body: 'See https://shop.example/prices.html.',
      })),
    ),
    task(
      'readme-from-api',
      'Document the call POST /v1/orders from https://docs.example/api.html in the README of the shop.',
      text('https://docs.example/api.html'),
      read('shop/README.md'),
      edit('shop/README.md', ['# Shop\n', '# Shop\n\nOrders are created with `POST /v1/orders`.\n']),
    ),
    task(
      'returns-mail',
      'How can I return a parcel to shop.example? Read their terms and write them that I return order 77.',
      text('https://shop.example/terms.html'),
      call('mail.send_message', (seen) => ({
        to: [seen.find(0, /(returns@shop\.example)/)],
        subject: 'Return of order 77',
        body: 'Hello,\n\nI return order 77 within the 30 days.\n\nAda',
      })),
    ),
    task(
      'fetch-json',
      `Get ${site}/weather/koeln.json and save it as data/weather.json.`,
      call('fetch.fetch_json', { url: `${site}/weather/koeln.json` }),
      call('files.write_file', (seen) => ({ path: at('data/weather.json'), content: seen.text(0) })),
    ),
  ];
}
