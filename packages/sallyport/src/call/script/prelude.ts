/**
 * Runs in the sandbox before the script, and makes what the script sees: `tools`, `console` and `ToolError`. It takes
 * two functions of the host, and nothing a script does to its own world reaches further than they do: a number and a text
 * per call, and lines of text.
 */
export const PRELUDE = `(function (call, log, names) {
  'use strict';
  const { parse, stringify } = JSON;
  const { create, freeze, defineProperty } = Object;
  const { apply } = Reflect;
  const toString = String;
  const cut = String.prototype.slice;

  class ToolError extends Error {
    constructor(message, tool, stack) {
      super(message);
      this.tool = tool;
      defineProperty(this, 'stack', { value: stack });
    }
  }
  defineProperty(ToolError.prototype, 'name', { value: 'ToolError' });

  function unwrap(text, tool, stack) {
    const result = parse(text);
    const content = result.content;
    const blocks = Array.isArray(content) ? content : [];
    let words = '';
    let isText = blocks.length > 0;
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i];
      if (block !== null && typeof block === 'object' && block.type === 'text') words += (i === 0 ? '' : '\\n') + block.text;
      else isText = false;
    }
    if (result.isError === true) throw new ToolError(words === '' ? 'The tool reported an error without a text.' : words, tool, stack);
    if (result.structuredContent !== undefined) return result.structuredContent;
    if (!isText) return blocks;
    if (blocks.length === 1 && (words[0] === '{' || words[0] === '[')) {
      try {
        return parse(words);
      } catch {
        return words;
      }
    }
    return words;
  }

  function define(index, name) {
    return async function (args) {
      // Where the script calls: an answer comes when nothing of it is on the stack.
      const { stack } = new Error();
      const given = args === undefined ? '{}' : stringify(args);
      let text;
      try {
        text = await call(index, given === undefined ? '' : given);
      } catch (reason) {
        throw new ToolError(reason, name, stack);
      }
      return unwrap(text, name, stack);
    };
  }

  const tools = create(null);
  for (const [namespace, functions] of parse(names)) {
    const own = create(null);
    for (const [name, index] of functions) own[name] = define(index, namespace + '.' + name);
    tools[namespace] = freeze(own);
  }

  const show = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return toString(value);
    const text = stringify(value);
    return text === undefined ? toString(value) : text;
  };
  const write = (...values) => {
    let line = '';
    for (let i = 0; i < values.length; i++) line += (i === 0 ? '' : ' ') + show(values[i]);
    log(line);
  };
  const global = globalThis;
  const give = (name, value) => defineProperty(global, name, { value });
  give('tools', freeze(tools));
  give('console', freeze({ log: write, info: write, warn: write, error: write, debug: write }));
  give('ToolError', ToolError);

  return {
    begin: (main) => main(),
    toText(value) {
      if (value === undefined) return '';
      if (typeof value === 'string') return '=' + value;
      const text = stringify(value);
      return text === undefined ? '' : '=' + text;
    },
    toReason(error) {
      if (!(error instanceof Error)) return apply(cut, 'It threw ' + show(error), [0, 2000]);
      const said = toString(error);
      const stack = typeof error.stack === 'string' ? error.stack : '';
      const place = /script\\.js:(\\d+)/.exec(stack);
      return apply(cut, said, [0, 2000]) + (place === null ? '' : ' (line ' + place[1] + ')');
    },
  };
})`;
