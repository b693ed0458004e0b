#!/usr/bin/env node
import { lights } from './lights.ts';

await lights().serve();
