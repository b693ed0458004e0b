import { few, older } from './matrix/cells.ts';
import { runMatrix } from './matrix/run-matrix.ts';

runMatrix('stdio', older, few);
