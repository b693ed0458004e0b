import { runMatrix } from './matrix/run-matrix.ts';

runMatrix('http');
