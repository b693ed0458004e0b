import { DatabaseSync } from '@photostructure/sqlite';

export interface Issue {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
  /** ISO 8601. */
  readonly created_at: string;
}

/** Issues in a SQLite file. A write is on disk when its method returns. */
export interface IssueStore {
  create(issue: Pick<Issue, 'title' | 'body'>): Issue;
  find(id: number): Issue | undefined;
  list(range: {
    readonly state?: string | undefined;
    readonly limit: number;
    readonly offset: number;
  }): readonly Issue[];
  count(state?: string): number;
  update(id: number, change: Partial<Pick<Issue, 'title' | 'body' | 'state'>>): Issue | undefined;
  close(): void;
}

export function openIssueStore(file: string): IssueStore {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS issues (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL,
      state TEXT NOT NULL DEFAULT 'open', created_at TEXT NOT NULL) STRICT;`);
  const insert = database.prepare('INSERT INTO issues (title, body, created_at) VALUES (?, ?, ?) RETURNING *');
  const one = database.prepare('SELECT * FROM issues WHERE id = ?');
  const many = database.prepare('SELECT * FROM issues WHERE ?1 IS NULL OR state = ?1 ORDER BY id LIMIT ?2 OFFSET ?3');
  const counted = database.prepare('SELECT count(*) AS count FROM issues WHERE ?1 IS NULL OR state = ?1');
  const change = database.prepare(
    'UPDATE issues SET title = coalesce(?2, title), body = coalesce(?3, body), state = coalesce(?4, state) WHERE id = ?1 RETURNING *',
  );
  // Rows have the columns of the table, which is made above.
  return {
    create: ({ title, body }) => insert.get(title, body, new Date().toISOString()) as unknown as Issue,
    find: (id) => one.get(id) as Issue | undefined,
    list: ({ state, limit, offset }) => many.all(state ?? null, limit, offset) as unknown as readonly Issue[],
    count: (state) => (counted.get(state ?? null) as { count: number }).count,
    update: (id, { title, body, state }) =>
      change.get(id, title ?? null, body ?? null, state ?? null) as Issue | undefined,
    close: () => database.close(),
  };
}
