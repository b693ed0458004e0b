#!/usr/bin/env node
import { issues } from './issues.ts';

const server = await issues(process.env['ISSUES_FILE'] ?? ':memory:');
await server.serve();
