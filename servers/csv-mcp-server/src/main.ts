#!/usr/bin/env node
import { delimiter } from 'node:path';
import { secretsOf } from '@sallyport/kit';
import { csv } from './csv.ts';

const { CSV_ROOTS } = secretsOf({ CSV_ROOTS: { description: 'the folders with CSV files, separated like PATH' } });
const server = await csv(CSV_ROOTS.split(delimiter));
await server.serve();
