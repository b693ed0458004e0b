import { defineServer, defineTool, fail, field, formatInput, page, pageInput, pageOutput, z } from '@sallyport/kit';

const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

/** Invented companies with closing prices of one day: a sample to build on, not market data. */
const SHARES = [
  { symbol: 'ACME', name: 'Acme Tools', currency: 'USD', close: 41.2 },
  { symbol: 'BRIO', name: 'Brio Rail', currency: 'EUR', close: 18.75 },
  { symbol: 'CYGN', name: 'Cygnus Optics', currency: 'USD', close: 102.4 },
  { symbol: 'DELT', name: 'Delta Harbour', currency: 'GBP', close: 7.31 },
  { symbol: 'EAST', name: 'Eastern Grid', currency: 'CNY', close: 63.9 },
] as const;
const DAY = '2026-11-20';

const share = z.object({
  symbol: z.string().describe('Symbol of the share'),
  name: z.string().describe('Name of the company'),
  currency: z.string().describe('ISO 4217 code of the currency'),
  close: z.number().describe('Closing price'),
});

const getPrice = defineTool({
  name: 'stocks_get_price',
  title: 'Get a share price',
  description:
    'Returns the closing price of a share by its symbol, with currency and date. The companies are invented.',
  input: { symbol: field('Symbol of the share, for example "ACME"', z.string().min(1).max(10)) },
  output: {
    symbol: field('Symbol of the share', z.string()),
    name: field('Name of the company', z.string()),
    close: field('Closing price', z.number()),
    currency: field('ISO 4217 code of the currency', z.string()),
    date: field('ISO 8601 date of the price', z.string()),
  },
  hints: READS,
  run({ symbol }) {
    const found = SHARES.find((one) => one.symbol === symbol.toUpperCase());
    if (found === undefined)
      return fail(`There is no share with the symbol "${symbol}".`, 'Call stocks_list_shares to see the symbols.');
    return { ...found, date: DAY };
  },
});

const listShares = defineTool({
  name: 'stocks_list_shares',
  title: 'List shares',
  description: 'Lists the shares with their closing prices, by symbol, page by page.',
  input: { ...pageInput, ...formatInput },
  output: pageOutput('The shares', field('A share', share)),
  hints: READS,
  run: (input) =>
    page(
      input,
      ({ limit, offset }) => SHARES.slice(offset, offset + limit),
      () => SHARES.length,
    ),
});

export const stocks = () =>
  defineServer({ name: 'stocks-mcp-server', version: '1.0.0', tools: [getPrice, listShares] });
