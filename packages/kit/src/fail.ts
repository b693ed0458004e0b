/** A tool call that failed in a way the model can do something about. Reaches the model as a result with `isError`. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  /** What the model should do next. */
  readonly nextStep: string;

  constructor(problem: string, nextStep: string, options?: ErrorOptions) {
    super(problem, options);
    this.nextStep = nextStep;
  }
}

/**
 * Ends a tool call with an error that teaches: the problem, then what the model can do next.
 * @example fail('No product has the id "P-9".', 'Call products_search_items to find the id.')
 */
export function fail(problem: string, nextStep: string, options?: ErrorOptions): never {
  throw new ToolFailure(problem, nextStep, options);
}
