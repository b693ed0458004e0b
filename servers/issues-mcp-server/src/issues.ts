import { randomUUID } from 'node:crypto';
import { defineServer, defineTool, fail, field, formatInput, page, pageInput, pageOutput, z } from '@sallyport/kit';
import { startIssueApi } from './api.ts';
import { type Issue, openIssueStore } from './store.ts';

const issue = z.object({
  id: z.number().describe('Number of the issue'),
  title: z.string().describe('Its title'),
  body: z.string().describe('Its text'),
  state: z.enum(['open', 'closed']).describe('Whether it is open'),
  created_at: z.string().describe('When it was created, ISO 8601'),
});
const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const id = field('Number of the issue, for example 7', z.number().int().min(1));
// SQLite would end the text there.
const hasNoNul = (text: string) => !text.includes('\0');
const title = z.string().min(1).max(200).refine(hasNoNul, 'A NUL character cannot be stored');
const body = z.string().max(20_000).refine(hasNoNul, 'A NUL character cannot be stored');

/** Asks the API; a connection that fails is a fault of the server, and a 404 is told to the model. */
type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>;

const createAsk =
  (url: string, key: string): Ask =>
  async (method, path, sent) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(10_000),
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    if (response.status === 404)
      return fail('There is no issue with this number.', 'Call issues_list_items to see the numbers.');
    if (!response.ok) throw new Error(`the API answered ${response.status}`);
    return response.json();
  };

const createIssue = (ask: Ask) =>
  defineTool({
    name: 'create_issue',
    title: 'Create an issue',
    description: 'Creates an issue with a title and a text, and returns it with its number.',
    input: {
      title: field('The title, for example "The printer is out of paper"', title),
      body: field('The text, in Markdown', body.default('')),
    },
    output: { issue: field('The new issue', issue) },
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    run: async (input) => ({ issue: (await ask('POST', '/issues', input)) as Issue }),
  });

const getIssue = (ask: Ask) =>
  defineTool({
    name: 'issues_get_item',
    title: 'Get an issue',
    description: 'Returns one issue by its number, with its text and state.',
    input: { id },
    output: { issue: field('The issue', issue) },
    hints: READS,
    run: async (input) => ({ issue: (await ask('GET', `/issues/${input.id}`)) as Issue }),
  });

const listIssues = (ask: Ask) =>
  defineTool({
    name: 'issues_list_items',
    title: 'List issues',
    description: 'Lists issues by their number, page by page, all or only open or closed ones.',
    input: {
      state: field('Only issues in this state', z.enum(['open', 'closed']).optional()),
      ...pageInput,
      ...formatInput,
    },
    output: pageOutput('The issues', field('An issue', issue)),
    hints: READS,
    async run({ state, ...range }) {
      let total = 0;
      return page(
        range,
        async ({ limit, offset }) => {
          const query = new URLSearchParams({
            limit: String(limit),
            offset: String(offset),
            ...(state === undefined ? {} : { state }),
          });
          const found = (await ask('GET', `/issues?${query}`)) as { issues: Issue[]; total: number };
          total = found.total;
          return found.issues;
        },
        () => total,
      );
    },
  });

const updateIssue = (ask: Ask) =>
  defineTool({
    name: 'issues_update_item',
    title: 'Change an issue',
    description:
      'Changes title, text or state of an issue, and returns it as it is now. What is left out stays as it is.',
    input: {
      id,
      title: field('The new title', title.optional()),
      body: field('The new text', body.optional()),
      state: field('"closed" closes it, "open" opens it again', z.enum(['open', 'closed']).optional()),
    },
    output: { issue: field('The issue as it is now', issue) },
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    run: async ({ id: number, ...change }) => ({ issue: (await ask('PATCH', `/issues/${number}`, change)) as Issue }),
  });

/** @param file SQLite file of the issues; `:memory:` for a tracker that ends with the server */
export async function issues(file: string) {
  const store = openIssueStore(file);
  const key = randomUUID();
  const api = await startIssueApi(store, key);
  const ask = createAsk(api.url, key);
  return defineServer({
    name: 'issues-mcp-server',
    version: '1.0.0',
    tools: [createIssue(ask), getIssue(ask), listIssues(ask), updateIssue(ask)],
    ...(file === ':memory:' ? {} : { callsFile: `${file}.calls` }),
    async close() {
      await api.close();
      store.close();
    },
  });
}
