import { runSallyport } from './gateway.ts';

export interface DrillRow {
  readonly table: 'drill';
  readonly threat: string;
  readonly contained: boolean;
}

/** Acts out the threats with the settings of a new user. */
export async function measureDrill(folder: string): Promise<readonly DrillRow[]> {
  const { threats } = (await runSallyport(['drill'], { SALLYPORT_STATE: folder })) as {
    readonly threats?: readonly { readonly name: string; readonly contained: boolean }[];
  };
  if (threats === undefined) throw new Error('"sallyport drill --json" does not say which threats are contained');
  return threats.map(({ name, contained }) => ({ table: 'drill', threat: name, contained }));
}
