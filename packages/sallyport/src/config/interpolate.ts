/** What `${…}` may refer to. */
export interface Variables {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project an editor's file belongs to (`.vscode/mcp.json`), else `undefined`. */
  readonly workspace: string | undefined;
}

export type Interpolated =
  | { readonly kind: 'text'; readonly text: string }
  /** Names variables, never values. `missing`: well written, and the environment lacks the variable. */
  | { readonly kind: 'problem' | 'missing'; readonly message: string };

const REFERENCE = /(\$?)\$\{([^}]*)\}/g;
const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/**
 * Fills in `${VAR}`, `${VAR:-default}` and `${env:VAR}`, and what editors add: `${userHome}`, `${workspaceFolder}`,
 * `${/}`. `$${` stands for a literal `${`. As in a shell, `:-` also replaces an empty value. What was filled in is not
 * read again: a value that contains `${` stays as it is.
 */
export function interpolate(text: string, variables: Variables): Interpolated {
  const problems: string[] = [];
  let kind: 'problem' | 'missing' = 'missing';
  const filled = text.replace(REFERENCE, (written: string, escaped: string, body: string) => {
    if (escaped !== '') return written.slice(1);
    const value = lookUp(body, variables);
    if (value.kind === 'text') return value.text;
    problems.push(value.message);
    if (value.kind === 'problem') kind = 'problem';
    return '';
  });
  return problems.length === 0 ? { kind: 'text', text: filled } : { kind, message: problems.join('; ') };
}

function lookUp(body: string, variables: Variables): Interpolated {
  if (body.startsWith('input:')) return inputProblem(body.slice('input:'.length));
  if (body === '/' || body === 'pathSeparator') return { kind: 'text', text: '/' };
  const [, name, fallback] = VARIABLE.exec(body) ?? [];
  if (name === undefined || body.includes('${')) {
    return problem(
      `\${${shorten(body)}} is no variable; use \${NAME}, \${NAME:-default} or \${env:NAME}, and $\${ for a literal "\${"`,
    );
  }
  const value = Object.hasOwn(variables.env, name) ? variables.env[name] : undefined;
  if (value !== undefined && (value !== '' || fallback === undefined)) return { kind: 'text', text: value };
  if (fallback !== undefined) return { kind: 'text', text: fallback };
  return editorVariable(name, variables) ?? missing(name);
}

function editorVariable(name: string, variables: Variables): Interpolated | undefined {
  if (name === 'userHome') {
    const home = variables.env['HOME'] ?? variables.env['USERPROFILE'];
    return home === undefined ? undefined : { kind: 'text', text: home };
  }
  if (name === 'workspaceFolder') {
    if (variables.workspace !== undefined) return { kind: 'text', text: variables.workspace };
    return problem(`\${workspaceFolder} is known to editors only; write the absolute path of the folder`);
  }
  return undefined;
}

function missing(name: string): Interpolated {
  const message = `the environment variable ${name} is not set; set it before the start, or write \${${name}:-default}`;
  return { kind: 'missing', message };
}

function inputProblem(id: string): Interpolated {
  const name = toVariableName(id);
  return {
    kind: 'missing',
    message: `\${input:${shorten(id)}} is asked for by VS Code only; set the environment variable ${name} and write \${${name}}`,
  };
}

/** The environment variable that takes the place of an editor's input: `github-token` becomes `GITHUB_TOKEN`. */
export function toVariableName(id: string): string {
  const name = id.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return /^[A-Z_]/.test(name) ? name.slice(0, 64) : `INPUT_${name}`.slice(0, 64);
}

function problem(message: string): Interpolated {
  return { kind: 'problem', message };
}

/** Long text in braces is more likely a value than a name. */
function shorten(body: string): string {
  return body.length <= 40 ? body : '…';
}
