import { afterAll } from 'vitest';
import { endAll } from './at-the-end.ts';

// Files share their modules, and this one alone runs again for each of them.
afterAll(endAll);
