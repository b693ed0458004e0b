/** One figure of a part of `bench -- faults`. `value` is null, and `holds` false, when it could not be measured. */
export interface FaultFigure {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
  readonly goal: string;
  readonly holds: boolean;
}

/** What a part measures; `rows` show how a figure came about. */
export interface FaultMeasure {
  readonly figures: readonly FaultFigure[];
  readonly rows: readonly object[];
}

/** What a part gets: an empty folder of its own, and where its progress goes. */
export interface FaultPlace {
  readonly folder: string;
  progress(line: string): void;
  /** Minutes instead of tens of them. */
  readonly quick: boolean;
}

export function atMost(name: string, value: number, { goal, unit }: { goal: number; unit: string }): FaultFigure {
  const isMeasured = Number.isFinite(value);
  return {
    name,
    value: isMeasured ? Math.round(value * 100) / 100 : null,
    unit,
    goal: goal === 0 ? '0' : `<= ${goal}`,
    holds: isMeasured && value <= goal,
  };
}

export function atLeast(name: string, value: number, { goal, unit }: { goal: number; unit: string }): FaultFigure {
  const isMeasured = Number.isFinite(value);
  return {
    name,
    value: isMeasured ? Math.round(value * 1000) / 1000 : null,
    unit,
    goal: `>= ${goal}`,
    holds: isMeasured && value >= goal,
  };
}
