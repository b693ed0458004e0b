import { call, type Task, task, type World } from '../world.ts';
import { fileCalls } from './file-calls.ts';

/** Tables, charts, time and arithmetic. */
export function numberTasks(world: World): readonly Task[] {
  const { at, read, write } = fileCalls(world);
  const math = (expression: string) => call('calc.math', { expression });
  return [
    task(
      'percent-of-invoice',
      'How much is 17 % of the total of Acme’s last invoice?',
      call('mail.search_messages', { query: 'invoice' }),
      call('mail.read_message', { id: 'm3' }),
      call('calc.math', (seen) => ({ expression: `${seen.find(1, /Total +([\d.]+)/)} * 0.17` })),
    ),
    task(
      'two-sums',
      'What is 17 % of 2,480? And what remains after another 85?',
      math('2480 * 0.17'),
      call('calc.math', (seen) => ({ expression: `${seen.find(0, /([\d.]+)/)} - 85` })),
    ),
    task(
      'sales-by-region',
      'Sum up the revenue by region in data/sales.csv and draw a bar chart of it.',
      call('tables.describe_csv', { path: 'data/sales.csv' }),
      call('tables.aggregate_csv', { path: 'data/sales.csv', column: 'revenue', operation: 'sum', group_by: 'region' }),
      call('charts.generate_bar_chart', (seen) => ({
        title: 'Revenue by region',
        data: [
          { category: 'North', value: Number(seen.find(1, /"North": (\d+)/)) },
          { category: 'South', value: Number(seen.find(1, /"South": (\d+)/)) },
        ],
        outputType: 'option',
      })),
    ),
    task(
      'sales-report',
      'Analyse data/sales.csv by product and write a report with a table to data/report.md.',
      read('data/sales.csv'),
      call('tables.aggregate_csv', { path: 'data/sales.csv', column: 'units', operation: 'sum', group_by: 'product' }),
      call('tables.aggregate_csv', {
        path: 'data/sales.csv',
        column: 'revenue',
        operation: 'mean',
        group_by: 'product',
      }),
      call('tables.filter_csv', { path: 'data/sales.csv', column: 'product', value: 'Kettle' }),
      write('data/report.md', (seen) => `# Sales\n\nUnits:\n\n${seen.text(1)}\n\nMean revenue:\n\n${seen.text(2)}\n`),
    ),
    task(
      'wrong-column',
      'What is the highest turnover in data/sales.csv?',
      call('tables.aggregate_csv', { path: 'data/sales.csv', column: 'turnover', operation: 'max' }),
      call('tables.describe_csv', { path: 'data/sales.csv' }),
      call('tables.aggregate_csv', { path: 'data/sales.csv', column: 'revenue', operation: 'max' }),
    ),
    task(
      'temperature-curve',
      'Draw the temperatures in data/measurements.csv as a line, and give me mean and deviation.',
      read('data/measurements.csv'),
      call('calc.math', { action: 'statistics', values: [18.4, 19.9, 21.7, 22.5, 21.1] }),
      call('charts.generate_line_chart', (seen) => ({
        title: 'Temperature',
        data: [...seen.text(0).matchAll(/^(\d\d:\d\d),([\d.]+)$/gm)].map(([, time, value]) => ({
          time,
          value: Number(value),
        })),
        outputType: 'option',
      })),
    ),
    task(
      'uuid-and-chart',
      'Make an id for the chart of our staff’s hours and draw it as a pie.',
      call('calc.random', { type: 'uuid' }),
      read('data/staff.csv'),
      call('charts.generate_pie_chart', {
        title: 'Hours',
        data: [
          { category: 'Ada', value: 38 },
          { category: 'Bo', value: 32 },
          { category: 'Dana', value: 40 },
        ],
        outputType: 'option',
      }),
      write('data/hours.md', (seen) => `# Hours (${seen.find(0, /([0-9a-f-]{36})/)})\n`),
    ),
    task(
      'meeting-in-tokyo',
      'When it is 10:00 on 24 November in Berlin, what time is it in Tokyo and in New York?',
      call('time.convert_time', {
        sourceTimezone: 'Europe/Berlin',
        targetTimezone: 'Asia/Tokyo',
        time: '2026-11-24 10:00:00',
      }),
      call('time.convert_time', {
        sourceTimezone: 'Europe/Berlin',
        targetTimezone: 'America/New_York',
        time: '2026-11-24 10:00:00',
      }),
      call('time.current_time', { timezone: 'Europe/Berlin' }),
    ),
    task(
      'days-until-release',
      'How many days are left from 23 November to the release on 9 December, and which weekday is that?',
      call('calc.date', { action: 'diff', date: '2026-11-23', date2: '2026-12-09' }),
      call('calc.date', { action: 'weekday', date: '2026-12-09' }),
      call('time.days_in_month', { date: '2026-12-09' }),
    ),
    task(
      'years-of-service',
      'Since how many days does each of us work here? See data/staff.csv.',
      read('data/staff.csv'),
      ...['2021-03-01', '2022-09-15', '2020-01-10'].map((date) =>
        call('calc.date', { action: 'diff', date, date2: '2026-11-23' }),
      ),
    ),
    task(
      'hash-and-encode',
      'Give me the SHA-256 of the text in drafts/announcement.md and its first line in Base64.',
      read('drafts/announcement.md'),
      call('calc.hash', (seen) => ({ input: seen.text(0), algorithm: 'sha256' })),
      call('calc.base64', (seen) => ({ input: seen.text(0).split('\n')[0] ?? '', action: 'encode' })),
    ),
    task(
      'units',
      'Convert 412 metres to feet, 9 degrees Celsius to Fahrenheit and 1.5 TB to GB.',
      call('calc.convert', { value: 412, from: 'm', to: 'ft' }),
      call('calc.convert', { value: 9, from: 'C', to: 'F' }),
      call('calc.convert', { value: 1.5, from: 'TB', to: 'GB' }),
    ),
    task(
      'bad-expression',
      'What is 12 over 7 plus three halves, as a decimal?',
      math('12 over 7 + 3/2'),
      math('12 / 7 + 3 / 2'),
    ),
    task(
      'cron-and-regex',
      'When does the job "30 2 * * 1" run next? And does the pattern ^SHOP-\\d+$ match SHOP-104?',
      call('calc.cron_parse', { expression: '30 2 * * 1', count: 3 }),
      call('calc.regex', { pattern: '^SHOP-\\d+$', text: 'SHOP-104', action: 'test' }),
    ),
    task(
      'network-plan',
      'Is the address of web-2 in data/servers.yml within 10.0.0.0/28?',
      call('files.read_text_file', { path: at('data/servers.yml') }),
      call('calc.ip', (seen) => ({
        action: 'contains',
        cidr: '10.0.0.0/28',
        target: seen.find(0, /web-2\n +address: (\S+)/),
      })),
    ),
  ];
}
