#!/usr/bin/env node
import { calculator } from './calculator.ts';

await calculator().serve();
