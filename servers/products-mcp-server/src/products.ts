import { defineServer, defineTool, fail, field, formatInput, page, pageInput, pageOutput, z } from '@sallyport/kit';

const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

const PRODUCTS = [
  { id: 'P-100', name: 'Desk lamp', category: 'lighting', price: 39.9, currency: 'EUR', in_stock: 12 },
  { id: 'P-101', name: 'Floor lamp', category: 'lighting', price: 89, currency: 'EUR', in_stock: 0 },
  { id: 'P-200', name: 'Standing desk', category: 'furniture', price: 449, currency: 'EUR', in_stock: 4 },
  { id: 'P-201', name: 'Office chair', category: 'furniture', price: 229, currency: 'EUR', in_stock: 9 },
  { id: 'P-300', name: 'Notebook', category: 'paper', price: 4.5, currency: 'EUR', in_stock: 310 },
];
const product = z.object({
  id: z.string().describe('Id of the product'),
  name: z.string().describe('Name of the product'),
  category: z.string().describe('Its category'),
  price: z.number().describe('Price of one'),
  currency: z.string().describe('ISO 4217 code of the currency'),
  in_stock: z.number().describe('How many are in stock'),
});

const getInformation = defineTool({
  name: 'get_product_information',
  title: 'Get a product',
  description:
    'Returns name, price and stock of one product by its id. Ids look like P-100; products_search_items finds them.',
  input: { product_id: field('Id of the product, for example "P-100"', z.string().min(1).max(40)) },
  output: { product: field('The product', product) },
  hints: READS,
  run({ product_id: id }) {
    const found = PRODUCTS.find((one) => one.id === id.toUpperCase().trim());
    if (found !== undefined) return { product: found };
    if (!/^P-\d+$/i.test(id))
      return fail(
        `"${id}" is not the id of a product. An id is P- and a number, for example P-100.`,
        'Call products_search_items with the name to find the id.',
      );
    return fail(`No product has the id "${id}".`, 'Call products_search_items with words from its name.');
  },
});

const searchItems = defineTool({
  name: 'products_search_items',
  title: 'Search products',
  description: 'Finds products by words from their name or category, page by page.',
  input: {
    query: field('Words from the name or category, for example "lamp"', z.string().max(100).default('')),
    ...pageInput,
    ...formatInput,
  },
  output: pageOutput('The products found', field('A product', product)),
  hints: READS,
  run({ query, ...range }) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = PRODUCTS.filter(({ name, category }) =>
      words.every((word) => `${name} ${category}`.toLowerCase().includes(word)),
    );
    return page(
      range,
      ({ limit, offset }) => found.slice(offset, offset + limit),
      () => found.length,
    );
  },
});

export const products = () =>
  defineServer({ name: 'products-mcp-server', version: '1.0.0', tools: [getInformation, searchItems] });
