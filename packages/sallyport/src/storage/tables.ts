/** The tables of all aggregates: whoever adds one adds a line here and a migration. */
// biome-ignore lint/suspicious/noEmptyInterface: aggregates add their tables.
export interface Tables {}
