import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineServer } from '../server.ts';
import { connectTestClient, type TestClient } from '../testing/testing.ts';
import { fromOpenApi, type OpenApiOptions } from './from-openapi.ts';

const YAML = `
openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders/{orderId}:
    parameters:
      - { name: orderId, in: path, required: true, description: Id of the order, schema: { type: string } }
    get:
      operationId: getOrder
      tags: [orders]
      summary: Get one order with its items
      parameters:
        - { $ref: '#/components/parameters/Verbose' }
        - { name: X-Trace, in: header, schema: { type: string } }
      responses: { "200": { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } } }
    delete:
      operationId: deleteOrder
      tags: [orders]
      summary: Delete one order for good
      responses: { "204": { description: gone } }
  /orders:
    post:
      operationId: createOrder
      tags: [orders]
      summary: Create an order for a customer
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [customer, items]
              properties:
                customer: { type: string, description: "Name of the **customer**. May be long." }
                items: { type: array, items: { $ref: '#/components/schemas/Item' }, description: What was ordered }
                note: { type: string, nullable: true, description: For the courier }
                region: { type: string, enum: [eu, us] }
      responses: { "201": { description: made } }
  /health:
    get: { operationId: health, tags: [ops], summary: Says whether the shop works, responses: { "200": { description: ok } } }
components:
  parameters:
    Verbose: { name: verbose, in: query, description: Also the history, schema: { type: boolean, default: false } }
  schemas:
    Order: { type: object, properties: { id: { type: string }, parent: { $ref: '#/components/schemas/Order' } } }
    Item: { allOf: [ { type: object, properties: { sku: { type: string } }, required: [sku] }, { properties: { count: { type: integer } } } ] }
`;

let service: Server;
let base = '';
const asked: { method: string; url: string; key: string | undefined; body: unknown }[] = [];

beforeAll(async () => {
  service = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += String(chunk);
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      asked.push({ method, url, key: headers['authorization'], body: text === '' ? undefined : JSON.parse(text) });
      const isKnown = !url.includes('none');
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isKnown ? { id: 'o-1', method } : { error: 'no such order' }));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
});
afterAll(() => new Promise((resolve) => service.close(resolve)));

async function connect(options: Partial<OpenApiOptions> = {}): Promise<TestClient> {
  const { tools, resources } = fromOpenApi(YAML, {
    ...{ service: 'shop', baseUrl: base, authenticate: () => ({ authorization: 'Bearer k' }) },
    ...options,
  });
  return connectTestClient(defineServer({ name: 'shop-mcp-server', version: '1.0.0', tools, resources }));
}

describe('tools of a document', () => {
  test('have readable names, short schemas without references, and hints of the method', async () => {
    const { client, close } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'shop_get_order',
      'shop_delete_order',
      'shop_create_order',
      'shop_health',
    ]);
    expect(JSON.stringify(tools)).not.toContain('$ref');
    expect(tools[0]?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true });
    expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
    expect(tools[2]?.inputSchema).toMatchObject({
      required: ['customer', 'items'],
      properties: {
        customer: { type: 'string', description: 'Name of the customer.' },
        items: { type: 'array', items: { type: 'object', required: ['sku'] } },
        region: { enum: ['eu', 'us'] },
      },
    });
    await close();
  });

  test('send what the operation wants, with credentials that no argument holds', async () => {
    const client = await connect();
    expect(await client.call('shop_get_order', { orderId: 'a/../b', verbose: true })).toEqual({
      status: 200,
      body: { id: 'o-1', method: 'GET' },
    });
    expect(asked.at(-1)).toEqual({
      method: 'GET',
      url: '/v1/orders/a%2F..%2Fb?verbose=true',
      key: 'Bearer k',
      body: undefined,
    });
    await client.call('shop_create_order', { customer: 'Ada', items: [{ sku: 's' }], region: 'eu' });
    expect(asked.at(-1)).toMatchObject({
      method: 'POST',
      body: { customer: 'Ada', items: [{ sku: 's' }], region: 'eu' },
    });
    expect(await client.callFailing('shop_get_order', { orderId: 'none' })).toMatch(
      /refused the call \(404\).*no such order.*Check the id/,
    );
    const before = asked.length;
    expect(await client.callFailing('shop_get_order', { orderId: '..' })).toMatch(/cannot be used as orderId/);
    expect(asked.length).toBe(before);
    await client.close();
  });

  test('are chosen, hidden, preset, renamed and merged', async () => {
    const client = await connect({
      tags: ['orders'],
      rename: { createOrder: 'place_order' },
      hide: ['X-Trace'],
      preset: { region: 'us' },
      merge: {
        manage_order: {
          description: 'Gets or deletes one order.',
          actions: { get: 'getOrder', delete: 'deleteOrder' },
        },
      },
    });
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['shop_place_order', 'shop_manage_order']);
    expect(tools[0]?.inputSchema.properties).not.toHaveProperty('region');
    expect(tools[1]?.inputSchema).toMatchObject({
      required: ['action', 'orderId'],
      properties: { action: { enum: ['get', 'delete'] } },
    });
    expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    await client.call('shop_manage_order', { action: 'delete', orderId: '7' });
    expect(asked.at(-1)).toMatchObject({ method: 'DELETE', url: '/v1/orders/7' });
    await client.call('shop_place_order', { customer: 'Ada', items: [] });
    expect(asked.at(-1)).toMatchObject({ body: { region: 'us' } });
    await client.close();
  });

  test('keep every required parameter, and take in "more" what does not fit', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 80 }, (_, i) => [
        `param${i}`,
        { type: 'string', description: `${'Long words about it. '.repeat(20)}${i}` },
      ]),
    );
    const required = ['param70', 'param79'];
    const schema = { type: 'object', properties, required };
    const document = {
      openapi: '3.1.0',
      info: { title: 'big', version: '1' },
      paths: {
        '/big': {
          post: {
            operationId: 'big',
            summary: 'Takes very many parameters',
            requestBody: { required: true, content: { 'application/json': { schema } } },
            responses: {},
          },
        },
      },
    };
    const { tools, resources, report } = fromOpenApi(document, { service: 'big', baseUrl: base });
    expect(report[0]!.before).toBeGreaterThan(7_000);
    expect(report[0]!.after).toBeLessThan(600);
    const client = await connectTestClient(
      defineServer({ name: 'big-mcp-server', version: '1.0.0', tools, resources }),
    );
    const { tools: listed } = await client.client.listTools();
    const shown = listed[0]!.inputSchema as { required: string[]; properties: Record<string, { description: string }> };
    expect(shown.required).toEqual(required);
    expect(shown.properties['more']?.description).toMatch(/^\d+ further parameters by name; openapi:\/\/big\/big_big/);
    await client.call('big_big', { param70: 'a', param79: 'b', more: { param75: 'c' } });
    expect(asked.at(-1)?.body).toEqual({ param70: 'a', param79: 'b', param75: 'c' });
    expect(await client.callFailing('big_big', { param70: 'a', param79: 'b', more: { param99: 'c' } })).toMatch(
      /no parameter param99/,
    );
    const { contents } = await client.client.readResource({ uri: 'openapi://big/big_big' });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('param75') });
    await client.close();
  });
});

describe('a bad document', () => {
  test.each([
    ['{', /neither JSON nor YAML/],
    ['- a', /not an object/],
    ['swagger: "2.0"', /no member "openapi"/],
    ['openapi: 4.0.0', /version 4.0.0 is not supported/],
    [
      'openapi: 3.1.0\npaths: { /a: { get: { requestBody: { $ref: "https://example.com/b.yaml" } } } }',
      /GET \/a.*another document, which is not fetched/,
    ],
    ['openapi: 3.1.0\npaths: { /a: { get: { requestBody: { $ref: "#/components/none" } } } }', /leads nowhere/],
  ])('%j is refused with its reason', (text, reason) => {
    expect(() => fromOpenApi(text, { service: 'x' })).toThrow(reason);
  });
});
