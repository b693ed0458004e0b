#!/usr/bin/env node
import { products } from './products.ts';

await products().serve();
