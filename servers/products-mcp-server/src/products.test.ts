import { readExamples, serverTests } from '@sallyport/kit/testing';
import { test } from 'vitest';
import { products } from './products.ts';

const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  {
    tool: 'get_product_information',
    input: { product_id: 'p-100' },
    output: {
      product: { id: 'P-100', name: 'Desk lamp', category: 'lighting', price: 39.9, currency: 'EUR', in_stock: 12 },
    },
  },
  {
    tool: 'get_product_information',
    input: { product_id: 'desk lamp' },
    error: /P- and a number.*products_search_items/,
  },
  { tool: 'get_product_information', input: { product_id: 'P-999' }, error: /No product.*products_search_items/ },
  { tool: 'products_search_items', input: { query: 'lamp' }, output: { total_count: 2, has_more: false } },
];
for (const { kind, name, run } of serverTests({ create: products, examples })) test(`${kind}: ${name}`, run);
