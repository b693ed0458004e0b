import { few, revisions } from './matrix/cells.ts';
import { runMatrix } from './matrix/run-matrix.ts';

runMatrix('sse', revisions, few);
