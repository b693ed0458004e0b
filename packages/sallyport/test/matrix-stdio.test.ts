import { few, newest } from './matrix/cells.ts';
import { runMatrix } from './matrix/run-matrix.ts';

runMatrix('stdio', newest, few);
