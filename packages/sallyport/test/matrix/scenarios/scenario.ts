import type { Cell } from '../cell.ts';
import type { Row } from '../cells.ts';

/** One feature group: a table of the page, and one test in every cell. */
export interface Scenario {
  readonly title: string;
  /** What a check mark stands for. */
  readonly proves: string;
  /** Why a client of this row has nothing of it; it is then tested that it is refused cleanly, if `refuse` is there. */
  readonly missing?: (row: Row) => string | undefined;
  readonly run: (cell: Cell) => Promise<void>;
  readonly refuse?: (cell: Cell) => Promise<void>;
}
