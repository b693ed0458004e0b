import { z } from 'zod';

/** The section `state` of the file. */
export const stateSchema = z.strictObject({
  shared: z
    .boolean()
    .default(false)
    .describe(
      'true: what runs have read, masked secrets, plans and handles are kept, sealed, in the database of the state directory, so that every Sallyport on it knows them. false: each process has its own, in memory, which is faster. Read at the start only.',
    ),
});

export type StateSettings = Readonly<z.output<typeof stateSchema>>;
