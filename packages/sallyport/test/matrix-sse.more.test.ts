import { runMatrix } from './matrix/run-matrix.ts';

runMatrix('sse');
