#!/usr/bin/env node
import { secretsOf } from '@sallyport/kit';
import { sql } from './sql.ts';

const { SQL_FILE, SQL_WRITABLE } = secretsOf({
  SQL_FILE: { description: 'the SQLite database' },
  SQL_WRITABLE: { description: '1 also offers a tool that changes the database', isOptional: true },
});
await sql({ file: SQL_FILE, isWritable: SQL_WRITABLE === '1' }).serve();
