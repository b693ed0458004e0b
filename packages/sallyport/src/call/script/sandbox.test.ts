import { beforeAll, describe, expect, it } from 'vitest';
import { loadInterpreter, Sandbox } from './sandbox.ts';
import type { SandboxLimits, Turn } from './sandbox-messages.ts';

const LIMITS: SandboxLimits = {
  ...{ computeMs: 300, memoryMb: 16, outputCharacters: 1_000, consoleCharacters: 100, calls: 5 },
};
const TOOLS = [
  ['files', [['read_file', 0]] as [string, number][]],
  ['mail', [['send', 1]] as [string, number][]],
] as const;

let interpreter: Awaited<ReturnType<typeof loadInterpreter>>;
beforeAll(async () => {
  interpreter = await loadInterpreter();
});

const open = (script: string) => new Sandbox(interpreter, { script, tools: TOOLS, limits: LIMITS });
const begin = (script: string): Turn => open(script).begin();
const text = (value: string) => JSON.stringify({ content: [{ type: 'text', text: value }] });

/** Runs it to its end; every call gets this. */
function run(script: string, result = text('ok')): Turn {
  const sandbox = open(script);
  let turn = sandbox.begin();
  while (turn.kind === 'waits') turn = sandbox.answer(turn.calls.map(({ id }) => ({ id, result })));
  return turn;
}

const resultOf = (turn: Turn) =>
  turn.kind === 'done' ? turn.result : `${turn.kind}: ${'reason' in turn ? turn.reason : ''}`;

const LATE = /computed for longer than 300 ms/;
const FULL = /out of memory|ran out of memory/;

/** What a hostile script tries, and what it is left with. */
const ATTACKS: readonly (readonly [name: string, script: string, outcome: RegExp])[] = [
  [
    'reaches for the globals of the host',
    'return [typeof process, typeof require, typeof module, typeof Buffer, typeof global, typeof fetch, typeof WebAssembly, typeof setTimeout, typeof Worker, typeof std, typeof os].filter((one) => one !== "undefined")',
    /^\[\]$/,
  ],
  [
    'climbs the constructors of what it was given',
    'return tools.files.read_file.constructor.constructor("return typeof process")()',
    /^undefined$/,
  ],
  [
    'climbs the constructors of an answer',
    'const r = await tools.files.read_file({}); return r.constructor.constructor("return typeof process + typeof require")()',
    /^undefinedundefined$/,
  ],
  [
    'climbs the constructors of an error of a call',
    'try { await tools.files.read_file(7n) } catch (e) { return e.constructor.constructor("return typeof process")() }',
    /^undefined$/,
  ],
  ['imports a module', 'return await import("node:fs")', /could not load module/],
  ['imports code in a URL', 'return await import("data:text/javascript,export default 1")', /could not load module/],
  [
    'reads the stack of the host',
    'try { null.x } catch (e) { return e.stack }',
    /^(?!.*(?:node:|\/work|\/dist\/|\.ts))/s,
  ],
  [
    'prepares the stack',
    'Error.prepareStackTrace = (_, sites) => sites.map((s) => s.getThis?.()); return String(new Error("x").stack)',
    /^(?!.*(?:node:|\/dist\/))/s,
  ],
  [
    'pollutes the prototypes',
    'Object.prototype.polluted = "yes"; Array.prototype.push = () => 7; JSON.parse = () => 0; Promise.prototype.then = () => {}; return await tools.files.read_file({})',
    /^ok$/,
  ],
  [
    'pollutes through __proto__ in JSON',
    'JSON.parse(\'{"__proto__": {"polluted": "yes"}}\'); const o = {}; o["__proto__"].polluted = "yes"; return "done"',
    /^done$/,
  ],
  [
    'replaces what the host gave it',
    'try { tools.files = 1 } catch {} try { tools.files.read_file = 1 } catch {} try { globalThis.tools = 1 } catch {} return typeof tools.files.read_file',
    /^function$/,
  ],
  [
    'adds a function to a server',
    'try { tools.files.delete_all = () => 1 } catch {} return typeof tools.files.delete_all',
    /^undefined$/,
  ],
  [
    'calls a name of every object',
    'return [typeof tools.constructor, typeof tools.__proto__, typeof tools.files.constructor, typeof tools.files.toString]',
    /^\["undefined","undefined","undefined","undefined"\]$/,
  ],
  ['loops for ever', 'while (true) {}', LATE],
  ['loops for ever and catches', 'for (;;) { try { while (true) {} } catch {} finally { continue } }', LATE],
  [
    'floods with microtasks',
    'const next = () => Promise.resolve().then(next); next(); next(); await new Promise(() => {})',
    LATE,
  ],
  [
    'waits for a promise that nothing settles',
    'await new Promise(() => {})',
    /waits for a promise that nothing settles/,
  ],
  ['returns a thenable that never resolves', 'return { then() {} }', /waits for a promise that nothing settles/],
  ['returns a thenable that resolves with itself', 'const t = { then(done) { done(t) } }; return t', LATE],
  ['writes its result without an end', 'return { toJSON() { while (true) {} } }', LATE],
  [
    'throws an error without an end',
    'throw Object.defineProperty(new Error("x"), "message", { get() { while (true) {} } })',
    LATE,
  ],
  ['throws what cannot be shown', 'throw { toString() { throw 1 }, toJSON() { throw 2 } }', /failed/],
  ['fills the memory with texts', 'return "x".repeat(1e9).length', FULL],
  ['fills the memory with arrays', 'return new Array(1e8).fill(1).length', FULL],
  ['fills the memory with a buffer', 'return new Uint8Array(1e9).length', FULL],
  ['doubles a text for ever', 'let s = "a"; for (;;) s += s', /too long|memory/],
  ['recurses without an end', 'const f = () => 1 + f(); return f()', /stack overflow/],
  ['nests JSON without an end', 'return JSON.parse("[".repeat(500000))', /stack overflow|memory|failed/],
  ['runs an expensive pattern', 'return /^(a+)+$/.test("a".repeat(40) + "!")', LATE],
  ['computes with huge numbers', 'let n = 3n; for (;;) n *= n', /computed for longer|memory|too large|out of range/i],
  [
    'makes a proxy of its arguments',
    'await tools.files.read_file(new Proxy({}, { ownKeys() { while (true) {} } }))',
    LATE,
  ],
  [
    'calls more often than it may',
    'for (let i = 0; i < 100; i++) tools.files.read_file({ i }); await tools.files.read_file({})',
    /may make 5 calls/,
  ],
];

describe('what a hostile script tries', () => {
  it.each(ATTACKS)('%s', (_name, script, outcome) => {
    expect(resultOf(run(script))).toMatch(outcome);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect([].push).toBe(Array.prototype.push);
    // What one script did to its world is not there for the next.
    const next = run('return [typeof Object.prototype.polluted, JSON.parse("[1]")[0], typeof tools.mail.send]');
    expect(resultOf(next)).toBe('["undefined",1,"function"]');
  });

  it('passes the host nothing but a number and a text, whatever it makes of a call', () => {
    const turn = begin(
      'const send = tools.mail.send; send.call({ index: 0 }, { toJSON: () => ({ to: "a" }) }); tools.files.read_file(() => 1); await send.apply(null, [[1, 2]])',
    );
    expect(turn.calls).toEqual([
      { id: 1, tool: 1, args: '{"to":"a"}' },
      { id: 2, tool: 0, args: '' },
      { id: 3, tool: 1, args: '[1,2]' },
    ]);
  });

  it('has an answer taken once, and by the call it is of', () => {
    const sandbox = open('return [await tools.files.read_file({}), await tools.mail.send({})]');
    sandbox.begin();
    const second = sandbox.answer([{ id: 1, result: text('a') }]);
    expect(second.calls.map(({ id }) => id)).toEqual([2]);
    expect(
      sandbox.answer([
        { id: 1, result: text('b') },
        { id: 99, result: text('c') },
      ]).kind,
    ).toBe('waits');
    expect(resultOf(sandbox.answer([{ id: 2, result: text('d') }]))).toBe('["a","d"]');
  });
});

describe('what an honest script does', () => {
  it.each([
    ['returns a value', 'return { sum: [1, 2].reduce((a, b) => a + b) }', '{"sum":3}'],
    ['returns a text as it is', 'return "two\\nlines"', 'two\nlines'],
    ['ends in a comment', 'return 1 // the end', '1'],
    [
      'calls one after the other',
      'let all = ""; for (let i = 0; i < 3; i++) all += await tools.files.read_file({ i }); return all',
      'okokok',
    ],
    [
      'calls beside each other',
      'return (await Promise.all([1, 2, 3].map((i) => tools.files.read_file({ i })))).length',
      '3',
    ],
    [
      'lists what there is',
      'return Object.entries(tools).map(([server, own]) => [server, Object.keys(own)])',
      '[["files",["read_file"]],["mail",["send"]]]',
    ],
    [
      'uses what the language has',
      'return [...new Set("aab")].map((c) => c.toUpperCase()).join() + new Date(0).toISOString() + (/b/u.exec("b")?.index ?? -1)',
      'A,B1970-01-01T00:00:00.000Z0',
    ],
  ])('%s', (_name, script, result) => {
    expect(resultOf(run(script))).toBe(result);
  });

  it.each([
    ['the structured result', { content: [{ type: 'text', text: 'x' }], structuredContent: { a: 1 } }, '{"a":1}'],
    ['JSON in a text', { content: [{ type: 'text', text: '[{"a":1}]' }] }, '[{"a":1}]'],
    [
      'a text',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      '"a\\nb"',
    ],
    ['a text that looks like JSON', { content: [{ type: 'text', text: '[a]' }] }, '"[a]"'],
    [
      'blocks that are no text',
      { content: [{ type: 'image', data: '', mimeType: 'image/png' }] },
      '[{"type":"image","data":"","mimeType":"image/png"}]',
    ],
  ])('gets %s', (_name, result, shown) => {
    expect(resultOf(run('return JSON.stringify(await tools.files.read_file({}))', JSON.stringify(result)))).toBe(shown);
  });

  it('catches the error of a tool, with its text', () => {
    const result = JSON.stringify({ content: [{ type: 'text', text: 'no such file' }], isError: true });
    const script =
      'try { await tools.files.read_file({}) } catch (e) { return [e instanceof ToolError, e.name, e.message, e.tool] }';
    expect(resultOf(run(script, result))).toBe('[true,"ToolError","no such file","files.read_file"]');
    expect(resultOf(run('\n\nawait tools.files.read_file({})', result))).toBe(
      'failed: ToolError: no such file (line 3)',
    );
  });

  it('says why it failed, and where', () => {
    expect(resultOf(run('const a = 1;\nnull.b'))).toMatch(/^failed: TypeError: .*null.* \(line 2\)$/);
    expect(resultOf(run('const = 1'))).toMatch(/^failed: SyntaxError: /);
  });

  it('writes to the console within its bound', () => {
    const turn = run(
      'console.log("a", { b: 1 }, undefined); console.error("x".repeat(200)); console.log("more"); return 1',
    );
    expect(turn.console).toBe(`a {"b":1} undefined\n${'x'.repeat(80)} … (cut)`);
  });

  it('has a long result cut, and says how long it was', () => {
    const turn = run('return "y".repeat(5000)');
    expect(turn.kind === 'done' && [turn.result?.length, turn.length]).toEqual([1_000, 5_000]);
  });
});
