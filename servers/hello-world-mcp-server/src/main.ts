#!/usr/bin/env node
import { hello } from './hello.ts';

await hello().serve();
