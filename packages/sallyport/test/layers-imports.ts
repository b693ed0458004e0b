/**
 * Finds every import in TypeScript source with a lexer that knows comments, strings, templates and regular expressions.
 * Whatever it cannot read is an error, never nothing: a layer check that overlooks files or imports reports success.
 */

export interface FoundImport {
  /** `undefined`: an import whose target is computed. */
  readonly specifier: string | undefined;
  readonly kind: 'import' | 'export-from' | 'dynamic' | 'require';
  readonly line: number;
}

export interface Source {
  readonly imports: readonly FoundImport[];
  /** `export` statements that export something of the file's own. */
  readonly ownExports: number;
  /** Literals with their slashes and flags. */
  readonly regexes: readonly { readonly text: string; readonly line: number }[];
  /** Lines of calls of RegExp. */
  readonly made: readonly number[];
  /** The source with comments replaced by spaces; lines keep their numbers. */
  readonly code: string;
}

interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'template' | 'regex' | 'sign';
  /** Strings and templates without substitution: what is between the quotes. */
  readonly text: string;
  readonly line: number;
}

/** @throws Error where the text is no TypeScript this lexer understands. */
export function readSource(text: string): Source {
  const { tokens, code } = toTokens(text);
  const regexes = tokens
    .filter(({ kind }) => kind === 'regex')
    .map(({ text: literal, line }) => ({ text: literal, line }));
  const made = tokens.flatMap(({ kind, text: name, line }, at) =>
    kind === 'name' && name === 'RegExp' && tokens[at + 1]?.text === '(' ? [line] : [],
  );
  return { ...toImports(tokens), regexes, made, code };
}

/** After these words a `/` starts a regular expression. */
const BEFORE_VALUE: ReadonlySet<string> = new Set(
  'return typeof case in of delete void throw new else do instanceof await yield default extends'.split(' '),
);
const NAME = /[\p{ID_Start}$_#@][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /\d[\w.]*/y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;

function toTokens(text: string): { tokens: Token[]; code: string } {
  const tokens: Token[] = [];
  let code = '';
  let at = 0;
  let line = 1;
  /** One entry per open `${`: how many braces are open inside it. */
  const substitutions: number[] = [];

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const advance = (part: string, shown = part): void => {
    code += shown;
    at += part.length;
    line += part.split('\n').length - 1;
  };
  const add = (kind: Token['kind'], part: string, shown: string): void => {
    tokens.push({ kind, text: shown, line });
    advance(part);
  };
  const fail = (what: string): never => {
    throw new Error(`line ${line}: ${what}: ${text.slice(at, at + 40)}`);
  };
  /** The piece of a template from `at` to its end or to the next `${`. */
  const readTemplate = (isStart: boolean): void => {
    const piece = take(/(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y) ?? fail('a template without an end');
    const isWhole = isStart && piece.endsWith('`');
    add(isWhole ? 'template' : 'sign', piece, isWhole ? piece.slice(0, -1) : piece.endsWith('${') ? '${' : '`');
    if (piece.endsWith('${')) substitutions.push(0);
  };

  if (text.startsWith('#!')) advance(text.slice(0, text.indexOf('\n')), '');
  while (at < text.length) {
    const char = text[at] ?? '';
    if (/\s/.test(char)) {
      advance(char);
      continue;
    }
    const comment = take(COMMENT);
    if (comment !== undefined) {
      advance(comment, comment.replace(/[^\n]/g, ' '));
    } else if (char === "'" || char === '"') {
      const string = take(STRING) ?? fail('a string without an end');
      add('string', string, string.slice(1, -1));
    } else if (char === '`') {
      advance(char);
      readTemplate(true);
    } else if (char === '}' && substitutions.at(-1) === 0) {
      substitutions.pop();
      advance(char);
      readTemplate(false);
    } else if (char === '/' && startsValue(tokens.at(-1))) {
      const regex = take(REGEX) ?? fail('a regular expression without an end');
      add('regex', regex, regex);
    } else {
      const name = take(NAME);
      const number = take(NUMBER);
      if (name !== undefined) add('name', name, name);
      else if (number !== undefined) add('number', number, number);
      else {
        const inner = substitutions.length - 1;
        if (inner >= 0 && char === '{') substitutions[inner] = (substitutions[inner] ?? 0) + 1;
        if (inner >= 0 && char === '}') substitutions[inner] = (substitutions[inner] ?? 0) - 1;
        // `count++ / 2` and `value! / 2` divide: what ends a value counts as a closing bracket.
        const ending = take(/\+\+|--|!(?!=)/y);
        if (ending !== undefined && !startsValue(tokens.at(-1))) add('sign', ending, ')');
        else add('sign', char, char);
      }
    }
  }
  if (substitutions.length > 0) fail('a template without an end');
  return { tokens, code };
}

function startsValue(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === 'name') return BEFORE_VALUE.has(before.text);
  return before.kind === 'sign' && !/[)\]}`]/.test(before.text);
}

function toImports(tokens: readonly Token[]): { imports: FoundImport[]; ownExports: number } {
  const imports: FoundImport[] = [];
  let ownExports = 0;
  const is = (index: number, text: string): boolean => {
    const token = tokens[index];
    return (token?.kind === 'name' || token?.kind === 'sign') && token.text === text;
  };
  const target = (index: number): string | undefined => {
    const token = tokens[index];
    const isText = token?.kind === 'string' || token?.kind === 'template';
    return isText && !token.text.includes('\\') ? token.text : undefined;
  };
  /** The index of the specifier after the next `from`, without leaving the statement. */
  const afterFrom = (start: number): number | undefined => {
    for (let i = start; i < tokens.length && !is(i, ';'); i++)
      if (is(i, 'from') && tokens[i + 1]?.kind === 'string') return i + 1;
    return undefined;
  };

  for (const [i, token] of tokens.entries()) {
    if (token.kind !== 'name' || is(i - 1, '.') || is(i + 1, ':')) continue;
    const { line } = token;
    if (token.text === 'import') {
      if (is(i + 1, '(')) imports.push({ specifier: target(i + 2), kind: 'dynamic', line });
      else if (is(i + 1, '.')) {
        if (is(i + 3, '.') && is(i + 4, 'resolve')) imports.push({ specifier: target(i + 6), kind: 'dynamic', line });
      } else {
        const found = tokens[i + 1]?.kind === 'string' ? i + 1 : afterFrom(i + 1);
        imports.push({ specifier: found === undefined ? undefined : target(found), kind: 'import', line });
      }
    } else if (token.text === 'export') {
      const first = is(i + 1, 'type') && (is(i + 2, '{') || is(i + 2, '*')) ? i + 2 : i + 1;
      const end = is(first, '*') ? first : is(first, '{') ? closing(first) : undefined;
      const from =
        end === undefined ? undefined : is(first, '*') ? afterFrom(end) : is(end + 1, 'from') ? end + 2 : undefined;
      if (from === undefined) ownExports++;
      else imports.push({ specifier: target(from), kind: 'export-from', line });
    } else if (token.text === 'require') {
      const open = is(i + 1, '.') && is(i + 2, 'resolve') ? i + 3 : i + 1;
      if (is(open, '(')) imports.push({ specifier: target(open + 1), kind: 'require', line });
    }
  }
  return { imports, ownExports };

  function closing(open: number): number {
    let i = open;
    while (i < tokens.length && !is(i, '}')) i++;
    return i;
  }
}
