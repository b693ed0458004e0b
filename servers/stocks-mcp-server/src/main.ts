#!/usr/bin/env node
import { stocks } from './stocks.ts';

await stocks().serve();
