#!/usr/bin/env node
import { delimiter } from 'node:path';
import { secretsOf } from '@sallyport/kit';
import { files } from './files.ts';

const { FILES_ROOTS } = secretsOf({
  FILES_ROOTS: { description: 'the folders that may be read and written, separated like PATH' },
});
const server = await files(FILES_ROOTS.split(delimiter));
await server.serve();
