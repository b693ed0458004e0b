type Environment = Readonly<Record<string, string | undefined>>;

interface Rule {
  readonly pattern: RegExp;
  /** `found`: what the pattern's first group matched. */
  readonly fix: (found: string, env: Environment) => string;
}

/** What programs say when they do not start, and what helps. The first rule that fits counts. */
const RULES: readonly Rule[] = [
  {
    pattern: /(?:npm (?:ERR!|error)[^\n]{0,300}\b404\b|E404[^\n]{0,300}registry|404 Not Found - GET)/i,
    fix: () => 'There is no npm package of this name or version: correct it in "args".',
  },
  {
    pattern:
      /(?:npm (?:ERR!|error)|registry\.npmjs|npm http)[\s\S]{0,2000}?\b(ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH)\b/i,
    fix: () =>
      'npx could not reach the npm registry: check network and proxy (npm config get registry), or install the package beforehand (npm install -g …) and give its own command.',
  },
  {
    pattern: /could not determine executable to run|npm (?:ERR!|error) could not determine/i,
    fix: () =>
      'The npm package has no program of its own: give another package, or "node" with the path of its script.',
  },
  {
    pattern: /(?:Failed to fetch|error sending request)[^\n]{0,300}pypi|No solution found when resolving/i,
    fix: () => 'uv could not get the Python package: check its name and version in "args", and the network.',
  },
  {
    pattern: /(?:Cannot connect to the Docker daemon|docker daemon is not running|docker\.sock)/i,
    fix: () => 'Start Docker, or give this user access to its socket.',
  },
  {
    pattern: /Unable to find image|pull access denied|manifest (?:unknown|for)/i,
    fix: () => 'Docker has no such image: correct its name in "args", or fetch it first (docker pull …).',
  },
  {
    pattern: /(?:No module named|ModuleNotFoundError)[^\n]{0,100}?['"]?([\w.]{1,100})['"]?[ \t\r]{0,8}$/im,
    fix: (found) => `Install the Python module ${found} for the interpreter in "command", or run the server with uvx.`,
  },
  {
    pattern: /(?:Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND[^']{0,300}) ?'([^']{1,1000})'/,
    fix: (found) =>
      `Node finds no ${found}: correct the path in "args", or install and build the server (npm install, npm run build).`,
  },
  {
    pattern:
      /Unsupported engine|requires (?:at least )?Node(?:\.js)? ?[v>=^~]*\d|SyntaxError: Unexpected (?:token|identifier)/i,
    fix: () => 'The server wants another version of Node: give the full path of the right "node" as "command".',
  },
  {
    pattern: /EADDRINUSE/,
    fix: () =>
      'The server opens a port that is taken: end the other program (perhaps an older copy of this server), or give it another port.',
  },
  {
    pattern:
      /(?:unknown (?:option|argument|command)|unrecognized (?:option|argument)|missing required argument|the following (?:required )?arguments|invalid option|^usage:)/im,
    fix: () => 'The server does not understand its arguments: correct "args" after its help (--help).',
  },
  {
    pattern: /ENOENT[^\n]{0,300}?'([^']{1,1000})'|No such file or directory:? ?'?([^'\n]{1,1000})?/i,
    fix: (found) =>
      `The server misses a file or folder${found === '' ? '' : ` (${found})`}: create it, or correct the path in "args" or "env".`,
  },
  {
    pattern: /(?:EACCES|permission denied)[^\n]*/i,
    fix: () =>
      'The server may not open something it needs: give this user access, or correct the path in "args" or "env".',
  },
  {
    pattern: /(?:listening|running|started|serving)\b[^\n]{0,300}?(https?:\/\/[^\s"']{1,300}|\bport:? ?\d{1,5})/i,
    fix: (found) =>
      `It seems to serve HTTP (${found}) and not stdin and stdout: give its URL instead of the command, or the argument that switches it to stdio.`,
  },
  {
    pattern: /(?:invalid|bad|expired|wrong) (?:api[ _-]?key|token|credentials)|401 Unauthorized/i,
    fix: () => 'The server signs in somewhere and is refused: give it valid credentials in "env".',
  },
];

const NAME = '([A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8})';
const WANTS_VARIABLE: readonly RegExp[] = [
  new RegExp(
    `${NAME}['"\`]? ?(?:environment variable|env var(?:iable)?)?,? ?(?:is|are|was|must be|needs? to be)? ?(?:not|un|required|missing|set|empty|defined)`,
  ),
  new RegExp(`(?:missing|required|set|provide|no|undefined)\\b[^\\n]{0,60}?\\b${NAME}`, 'i'),
];

/** What to do about the last words of a program that did not serve; `undefined` when they say nothing known. */
export function explainStderr(lines: readonly string[], env: Environment): string | undefined {
  const text = lines.join('\n').slice(-16_000);
  const variable = WANTS_VARIABLE.map((pattern) => pattern.exec(text)?.[1]).find((name) => name !== undefined);
  if (variable !== undefined && /^[A-Z][A-Z0-9_]+$/.test(variable) && !/^(?:ERR|E|UND)_/.test(variable)) {
    const here =
      (env[variable] ?? '') === ''
        ? ''
        : ' It is set where Sallyport runs, but servers get only what their "env" names.';
    return `Give the server ${variable}: "env": {"${variable}": "\${${variable}}"} (--env ${variable}=…).${here}`;
  }
  for (const { pattern, fix } of RULES) {
    const match = pattern.exec(text);
    if (match !== null) return fix((match[1] ?? match[2] ?? '').trim(), env);
  }
  return undefined;
}
