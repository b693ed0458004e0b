import { FaultError } from '../core/errors.ts';

/** Files of a new server, by their path inside its folder. */
export type Files = ReadonlyMap<string, string>;

const SERVICE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const KIT = '0.1.0';

/**
 * A server with one tool that builds, tests and lints clean as it is.
 * @param name `weather` or `weather-mcp-server`
 * @throws FaultError `usage` for a name that no server may have
 */
export function newServer(name: string): { readonly folder: string; readonly files: Files } {
  const service = name.replace(/-mcp-server$/, '');
  if (!SERVICE.test(service) || service.length > 40)
    throw new FaultError(
      'usage',
      `"${name}" is not the name of a service: write small letters, digits and "-", at most 40 characters, for example "weather".`,
    );
  const server = `${service}-mcp-server`;
  const words = service.replaceAll('-', '_');
  const files = new Map([
    ['package.json', toJson(packageOf(server))],
    ['tsconfig.json', toJson(TSCONFIG)],
    ['.gitignore', 'dist\nnode_modules\n'],
    ['README.md', readmeOf(server, words)],
    ['src/main.ts', mainOf()],
    ['src/server.ts', serverOf(server, words)],
    [`src/tools/${words}_say_greeting.ts`, toolOf(`${words}_say_greeting`)],
    ['test/server.test.js', TEST],
  ]);
  return { folder: server, files };
}

/**
 * A tool for a server that `newServer` made, and the server's file with the tool in it.
 * @param source text of `src/server.ts`
 * @throws FaultError `usage` for a name that breaks the rules, a tool that is there, or a file of another shape
 */
export function newTool(name: string, source: string): Files {
  if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(name) || name.length > 64)
    throw new FaultError(
      'usage',
      `A tool is named {service}_{action}_{resource}, for example weather_get_forecast, not "${name}".`,
    );
  const variable = toVariable(name);
  const list = /tools: \[([^\]]{0,10000})\]/.exec(source);
  if (list === null) throw new FaultError('usage', 'src/server.ts has no "tools: [...]". Add the tool by hand.');
  if (source.includes(`./tools/${name}.ts`)) throw new FaultError('usage', `The tool "${name}" is there already.`);
  const tools = [
    ...(list[1] ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
    variable,
  ];
  const added = source
    .replace(list[0], `tools: [${tools.join(', ')}]`)
    .replace(/((?:^import .*\n)+)/m, `$1${use(variable, `./tools/${name}.ts`)}\n`);
  return new Map([
    [`src/tools/${name}.ts`, toolOf(name)],
    ['src/server.ts', added],
  ]);
}

function toVariable(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function packageOf(server: string): object {
  return {
    name: server,
    version: '0.1.0',
    private: true,
    type: 'module',
    bin: { [server]: 'dist/main.js' },
    scripts: {
      build: 'tsc',
      test: 'tsc && node --test test/',
      start: 'node dist/main.js',
      lint: 'tsc && sallyport lint --fail-on warning -- node dist/main.js',
    },
    engines: { node: '>=20.19' },
    dependencies: { '@sallyport/kit': KIT },
    devDependencies: { '@types/node': '^20.19.0', typescript: '^7.0.2' },
  };
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    rewriteRelativeImportExtensions: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    types: ['node'],
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

function mainOf(): string {
  return `#!/usr/bin/env node
${use('createServer', './server.ts')}

await createServer().serve();
`;
}

function serverOf(server: string, words: string): string {
  const tool = `${words}_say_greeting`;
  return `${use('defineServer', '@sallyport/kit')}
${use(toVariable(tool), `./tools/${tool}.ts`)}

export const createServer = () =>
  defineServer({
    name: '${server}',
    version: '0.1.0',
    tools: [${toVariable(tool)}],
  });
`;
}

function toolOf(name: string): string {
  return `${use('defineTool, fail, field, z', '@sallyport/kit')}

export const ${toVariable(name)} = defineTool({
  name: '${name}',
  title: '${name
    .split('_')
    .slice(1)
    .join(' ')
    .replace(/^./, (letter) => letter.toUpperCase())}',
  description: 'Takes a name and returns a greeting (${name}). Say here when to use the tool and what it returns.',
  input: { name: field('Whom to greet, for example "Ada"', z.string().max(100)) },
  output: { greeting: field('The greeting', z.string()) },
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  run({ name }) {
    if (name.trim() === '') fail('The name is empty.', 'Ask the user for a name.');
    return { greeting: \`Hello, \${name}!\` };
  },
});
`;
}

function readmeOf(server: string, words: string): string {
  const tool = `${words}_say_greeting`;
  const example = (value: object) => `\n\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\`\n`;
  return `# ${server}

\`npm install\`, then \`npm test\` builds the server and runs the calls below. \`npm run lint\` checks its definitions.
Paste this into the configuration of a client:
${example({ mcpServers: { [server.replace(/-mcp-server$/, '')]: { command: 'node', args: [`${server}/dist/main.js`] } } })}
## Examples
${example({ tool, input: { name: 'Ada' }, output: { greeting: 'Hello, Ada!' } })}${example({ tool, input: { name: '世界' }, output: { greeting: 'Hello, 世界!' } })}${example({ tool, input: { name: ' ' }, error: 'Ask the user for a name' })}`;
}

const TEST = `${use('test', 'node:test')}
${use('readExamples, serverTests', '@sallyport/kit/testing')}
${use('createServer', '../dist/server.js')}

const examples = readExamples(new URL('../README.md', import.meta.url));
for (const { kind, name, run } of serverTests({ create: createServer, examples })) test(\`\${kind}: \${name}\`, run);
`;

function toJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** An import of the new server, not of this file. */
function use(names: string, from: string): string {
  return `import { ${names} } from '${from}';`;
}
