#!/usr/bin/env node
import { secretsOf } from '@sallyport/kit';
import { sql } from './sql.ts';

const { SQL_FILE, SQL_URL, SQL_WRITABLE } = secretsOf({
  SQL_FILE: { description: 'a SQLite database', isOptional: true },
  SQL_URL: { description: 'a PostgreSQL database, as postgresql://role:password@host/database', isOptional: true },
  SQL_WRITABLE: { description: '1 also offers a tool that changes the database', isOptional: true },
});
const server = await sql({ file: SQL_FILE, url: SQL_URL, isWritable: SQL_WRITABLE === '1' });
await server.serve();
