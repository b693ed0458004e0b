import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { Notification, Request } from '../core/message.ts';
import { type RequestKind, readNotification, readRequest, withoutOthers, writeRequest } from './request-forms.ts';

const METHODS: Readonly<Record<RequestKind, string>> = {
  ...{ call: 'tools/call', read: 'resources/read', prompt: 'prompts/get', completion: 'completion/complete' },
  ...{ task: 'tasks/get', request: 'x/y' },
};
const read = (kind: RequestKind, params: JsonObject, given: { named?: string; isSealed?: boolean } = {}) =>
  readRequest(kind, Request.of('1', METHODS[kind], params), { named: undefined, isSealed: true, ...given });
const PROMPT = { type: 'ref/prompt', name: 'p' };
const RESOURCE = { type: 'ref/resource', uri: 'a:{b}' };

describe('what a request holds', () => {
  test.each<[string, RequestKind, JsonObject, JsonObject, JsonObject]>([
    ['a call', 'call', { name: 'n', arguments: { a: 1 } }, { a: 1 }, {}],
    ['a call without arguments', 'call', { name: 'n' }, {}, {}],
    ['a prompt', 'prompt', { name: 'n', arguments: { a: '1' } }, { a: '1' }, {}],
    ['a read', 'read', { uri: 'a:1' }, {}, {}],
    ['a task', 'task', { taskId: '1' }, {}, {}],
    ['a method that is not known', 'request', { a: 1 }, {}, { method: 'x/y', others: { a: 1 } }],
    [
      'a completion of a prompt',
      'completion',
      { ref: PROMPT, argument: { name: 'a', value: 'v' }, context: { arguments: { b: 'w' } } },
      { value: 'v', context: { b: 'w' } },
      { name: 'a' },
    ],
    ['responses, which have a door of their own', 'call', { name: 'n', inputResponses: { a: {} } }, {}, {}],
  ])('%s', (_, kind, params, body, fixed) => {
    expect(read(kind, params)).toEqual({ body, fixed });
  });

  test('a name that the client made is fixed', () => {
    expect(read('read', { uri: 'a:1' }, { named: 'a:1' }).fixed).toEqual({ uri: 'a:1' });
    const completion = { ref: RESOURCE, argument: { name: 'b', value: '' } };
    expect(read('completion', completion, { named: 'a:{b}' }).fixed).toEqual({ uri: 'a:{b}', name: 'b' });
    const ofPrompt = { ref: PROMPT, argument: { name: 'b', value: '' } };
    expect(read('completion', ofPrompt, { named: 'a:{b}' }).fixed).toEqual({ name: 'b' });
  });

  test('a state that was not sealed here is read as any text is', () => {
    const params = { name: 'n', requestState: 's' };
    expect(read('call', params).fixed).toEqual({});
    expect(read('call', params, { isSealed: false }).fixed).toEqual({ others: { requestState: 's' } });
  });

  test.each<[string, JsonObject, JsonObject | undefined]>([
    ['a token and what the protocol says of the client', { _meta: { progressToken: 1, ...protocolMeta() } }, undefined],
    ['any other meta', { _meta: { progressToken: 1, traceparent: 'x' } }, { _meta: { traceparent: 'x' } }],
    ['a meta that is no object', { _meta: 'text' }, { _meta: 'text' }],
    ['how long a task is kept', { task: { ttl: 5 } }, undefined],
    ['a task without anything', { task: {} }, {}],
    ['a text in its place', { task: { ttl: 'text' } }, { task: { ttl: 'text' } }],
    ['more about a task', { task: { ttl: 5, note: 'x' } }, { task: { note: 'x' } }],
    ['members beside', { recursive: true, name2: 'x' }, { recursive: true, name2: 'x' }],
  ])('%s', (_, params, others) => {
    const { fixed } = read('call', { name: 'n', ...params });
    if (others === undefined) expect(fixed).toEqual({});
    else expect(fixed['others'] ?? {}).toEqual(others);
  });

  test('what the client calls as it likes never passes for what is named here', () => {
    expect(read('read', { uri: 'a:1', others: 'x', method: 'y' }, { named: 'a:1' }).fixed).toEqual({
      uri: 'a:1',
      others: { others: 'x', method: 'y' },
    });
  });

  test('everything beside the parts of a completion is read', () => {
    const params = {
      ...{ ref: { ...PROMPT, title: 't' }, argument: { name: 'a', value: 'v', x: 1 } },
      ...{ context: { arguments: {}, y: 2 }, z: 3 },
    };
    expect(read('completion', params).fixed['others']).toEqual({
      parts: [{ title: 't' }, { x: 1 }, { y: 2 }, { z: 3 }],
    });
    const ofResource = { ref: { ...RESOURCE, name: 'n' }, argument: { name: 'a', value: 'v' } };
    expect(read('completion', ofResource).fixed['others']).toEqual({ parts: [{ name: 'n' }] });
  });

  test.each<[RequestKind, JsonObject, string]>([
    ['call', { arguments: [] }, '"arguments" has to be an object.'],
    ['prompt', { arguments: 'x' }, '"arguments" has to be an object.'],
    ['completion', { ref: PROMPT, argument: { value: 'v' } }, '"argument" needs a "name" that is a string.'],
    ['completion', { ref: 'x', argument: { name: 'a' } }, '"ref" has to be an object.'],
    ['completion', { ref: PROMPT, argument: { name: 'a' }, context: 1 }, '"context" has to be an object.'],
  ])('a %s with %j is refused', (kind, params, message) => {
    expect(() => read(kind, params)).toThrow(expect.objectContaining({ code: 'invalid_params', message }));
  });

  test('a notification holds its method and all of its params', () => {
    expect(readNotification(Notification.of('x/y', { a: 1, requestState: 's' }))).toEqual({
      body: {},
      fixed: { method: 'x/y', others: { a: 1, requestState: 's' } },
    });
  });
});

function protocolMeta(): JsonObject {
  const names = ['protocolVersion', 'clientInfo', 'clientCapabilities', 'logLevel'];
  return Object.fromEntries(names.map((name) => [`io.modelcontextprotocol/${name}`, 'x']));
}

describe('how a request is written', () => {
  const write = (
    kind: RequestKind,
    params: JsonObject,
    sent: { target?: string | undefined; body?: JsonObject; isChanged?: boolean },
  ) => {
    const request = Request.of('1', METHODS[kind], params);
    const edits = writeRequest(kind, request, { target: undefined, body: {}, isChanged: false, ...sent });
    return { edits: edits.length, params: JSON.parse(request.write('1', edits)).params };
  };

  test('one whose names and values stay has no edits', () => {
    expect(write('call', { name: 'n', arguments: { a: 1 } }, { target: 'n', body: { b: 2 } }).edits).toBe(0);
    const ref = { ref: PROMPT, argument: { name: 'a', value: 'v' } };
    expect(write('completion', ref, { target: 'p', body: { value: 'w', context: {} } }).edits).toBe(0);
  });

  test.each<[RequestKind, JsonObject, JsonObject]>([
    ['call', { name: 'n' }, { name: 'server-own', arguments: { a: 2 } }],
    ['read', { uri: 'n' }, { uri: 'server-own' }],
    ['prompt', { name: 'n', arguments: { a: 1 } }, { name: 'server-own', arguments: { a: 2 } }],
    ['task', { taskId: 'n' }, { taskId: 'server-own' }],
    ['request', { name: 'n' }, { name: 'n' }],
  ])('a %s gets the server’s own name and the changed body', (kind, params, expected) => {
    expect(write(kind, params, { target: 'server-own', body: { a: 2 }, isChanged: true }).params).toEqual(expected);
  });

  test('a completion does, too', () => {
    const body = { value: 'w', context: { b: 2 } };
    const context = { arguments: { b: 1 } };
    expect(
      write(
        'completion',
        { ref: PROMPT, argument: { name: 'a', value: 'v' }, context },
        { target: 'q', body, isChanged: true },
      ).params,
    ).toEqual({
      ...{ ref: { ...PROMPT, name: 'q' }, argument: { name: 'a', value: 'w' } },
      context: { arguments: { b: 2 } },
    });
    const bare = { ref: RESOURCE, argument: { name: 'a', value: 'v' } };
    expect(write('completion', bare, { target: 'a:1', body, isChanged: true }).params).toEqual({
      ...{ ref: { ...RESOURCE, uri: 'a:1' }, argument: { name: 'a', value: 'w' } },
    });
  });
});

describe('the members that a person was not shown', () => {
  const left = (params: JsonObject) => {
    const request = Request.of('1', 'tools/call', params);
    return withoutOthers(readRequest('call', request, { named: undefined, isSealed: true }), request);
  };

  test('are taken out, and nothing else is', () => {
    const kept = { name: 'n', arguments: { a: { recursive: 1 } } };
    expect(left({ ...kept, recursive: true, other: {} }).params).toEqual(kept);
    expect(left({ ...kept, _meta: { progressToken: 7, traceparent: 'x' } }).params).toEqual({
      ...kept,
      _meta: { progressToken: 7 },
    });
    expect(left({ ...kept, task: { ttl: 5, note: 'x' } }).params).toEqual({ ...kept, task: { ttl: 5 } });
    expect(left({ ...kept, task: { ttl: 'x' } }).params).toEqual({ ...kept, task: {} });
  });

  test('where there are none, it is the very request', () => {
    const request = Request.of('1', 'tools/call', { name: 'n' });
    expect(withoutOthers({ fixed: {} }, request)).toBe(request);
  });
});
