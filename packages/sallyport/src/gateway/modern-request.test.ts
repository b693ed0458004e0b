import { describe, expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { Request } from '../core/message.ts';
import { KEY_HOLDER } from '../core/principal.ts';
import { checkParamHeaders, readModernFacts } from './modern-request.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HEADERS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' };

function outcome(
  params: Record<string, unknown>,
  headers?: Record<string, string | undefined>,
  method = 'tools/call',
): string {
  const request = Request.of('1', method, params as never);
  try {
    const all = headers;
    readModernFacts(request, KEY_HOLDER, all === undefined ? undefined : (name) => all[name]);
    return 'passes';
  } catch (error) {
    return error instanceof FaultError ? error.code : 'threw';
  }
}

describe('_meta and headers', () => {
  const named = { name: 'add', _meta: META };
  const rows: [string, string, Record<string, unknown>, (Record<string, string | undefined> | undefined)?, string?][] =
    [
      ['complete', 'passes', named, HEADERS],
      ['on stdio there are no headers', 'passes', named],
      [
        'clientInfo is optional',
        'passes',
        { name: 'add', _meta: { ...META, 'io.modelcontextprotocol/clientInfo': undefined } },
        HEADERS,
      ],
      [
        'Mcp-Name in Base64',
        'passes',
        { name: 'añad', _meta: META },
        { ...HEADERS, 'mcp-name': '=?base64?YcOxYWQ=?=' },
      ],
      [
        'a method without a name needs no Mcp-Name',
        'passes',
        { _meta: META },
        { ...HEADERS, 'mcp-method': 'tools/list', 'mcp-name': undefined },
        'tools/list',
      ],
      ['no version header', 'header_mismatch', named, { ...HEADERS, 'mcp-protocol-version': undefined }],
      ['another version in the header', 'header_mismatch', named, { ...HEADERS, 'mcp-protocol-version': '2025-11-25' }],
      ['no _meta', 'usage', { name: 'add' }, HEADERS],
      [
        'no capabilities',
        'usage',
        { name: 'add', _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': undefined } },
        HEADERS,
      ],
      [
        'an unknown version',
        'unsupported_version',
        { name: 'add', _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': 'v9' } },
        { ...HEADERS, 'mcp-protocol-version': 'v9' },
      ],
      [
        'a legacy version per request',
        'unsupported_version',
        { name: 'add', _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' } },
      ],
      ['no Mcp-Method', 'header_mismatch', named, { ...HEADERS, 'mcp-method': undefined }],
      ['Mcp-Method in another case', 'header_mismatch', named, { ...HEADERS, 'mcp-method': 'Tools/Call' }],
      ['no Mcp-Name', 'header_mismatch', named, { ...HEADERS, 'mcp-name': undefined }],
      ['another Mcp-Name', 'header_mismatch', named, { ...HEADERS, 'mcp-name': 'delete_all' }],
      ['Mcp-Name in broken Base64', 'header_mismatch', named, { ...HEADERS, 'mcp-name': '=?base64?%%%?=' }],
      [
        'an unknown log level',
        'invalid_params',
        { name: 'add', _meta: { ...META, 'io.modelcontextprotocol/logLevel': 'loud' } },
        HEADERS,
      ],
    ];
  test.each(rows)('%s: %s', (_name, expected, params, headers, method) =>
    expect(outcome(params, headers, method)).toBe(expected),
  );
});

describe('Mcp-Param headers mirror arguments', () => {
  const paths = new Map([
    ['Region', ['region']],
    ['Count', ['deep', 'count']],
  ]);
  const rows: [string, Record<string, unknown>, Record<string, string>, boolean][] = [
    ['equal', { region: 'eu', deep: { count: 42 } }, { 'mcp-param-region': 'eu', 'mcp-param-count': '42.0' }, true],
    ['absent on both sides', {}, {}, true],
    ['null counts as absent', { region: null }, {}, true],
    ['Base64', { region: 'é' }, { 'mcp-param-region': '=?base64?w6k=?=' }, true],
    ['missing header', { region: 'eu' }, {}, false],
    ['header without argument', {}, { 'mcp-param-region': 'eu' }, false],
    ['another value', { region: 'eu' }, { 'mcp-param-region': 'us' }, false],
    ['another number', { deep: { count: 42 } }, { 'mcp-param-count': '43' }, false],
    ['empty is no number', { deep: { count: 0 } }, { 'mcp-param-count': '' }, false],
    ['invisible characters', { region: 'eu' }, { 'mcp-param-region': 'eu\u00a0' }, false],
  ];
  test.each(rows)('%s', (_name, given, headers, good) => {
    const check = () => checkParamHeaders(given as never, paths, (name) => headers[name]);
    if (good) expect(check).not.toThrow();
    else expect(check).toThrow(/Header mismatch/);
  });
});

test('no program looks like one of another caller, whatever it calls itself', () => {
  const keyOf = (id: string, agent: string | undefined, name: string) => {
    const meta = { ...META, 'io.modelcontextprotocol/clientInfo': { name, version: '1' } };
    const request = Request.of('1', 'tools/list', { _meta: meta });
    return readModernFacts(request, { ...KEY_HOLDER, id, agent }, undefined).client.key;
  };
  const keys = [
    keyOf('oauth:i#x', undefined, 'y/c'),
    keyOf('oauth:i#x/y', undefined, 'c'),
    keyOf('oauth:i#x', 'a', 'c'),
    keyOf('oauth:i#x', undefined, 'a\nc'),
    keyOf('oauth:i#x', 'b', 'c'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});
