import { newest } from './matrix/cells.ts';
import { runMatrix } from './matrix/run-matrix.ts';

runMatrix('http', newest);
