import { Neighbours, toCandidate } from './faces.ts';
import type { Judged, Measured } from './judged.ts';
import {
  type DefinitionContext,
  describeScan,
  type FindShadow,
  find,
  isBlocked,
  isFlagged,
  load,
  type Scan,
  type ScanDefinition,
} from './product.ts';
import type { Data, DataRow } from './read-rows.ts';

interface Scanned {
  readonly row: DataRow;
  readonly scan: Scan;
}

/** Rules whose finding says that a parameter lies outside of the tool's purpose. */
const ABOUT_PARAMETERS = /^parameter-/;
/** Kinds of poison whose text is not there to be read by people at all. */
const PAYLOADS = ['unicode_smuggling', 'decoded_payload'];

/** Everything that reads definitions: the four signals, the block tier and parameters outside the purpose. */
export async function measureDefinitions(data: Data): Promise<Measured> {
  const scanDefinition = await load<ScanDefinition>('guard/scan/scan-definition.js', 'scanDefinition');
  const findShadow = await find<FindShadow>('catalog/shadow/find-shadow.js', 'findShadow');
  const rows = (name: Parameters<Data['get']>[0]) => data.get(name) ?? [];
  const near = new Neighbours(rows('benign_tools'));
  const scanned = (row: DataRow, context: DefinitionContext): Scanned[] => {
    const definition = row.object('tool');
    return definition === undefined ? [] : [{ row, scan: scanDefinition(definition, context) }];
  };
  const poisoned = rows('poisoned_tools').flatMap((row) => scanned(row, near.ofPoisoned(row)));
  const real = rows('benign_tools').flatMap((row) => (row.is('kind', 'real') ? scanned(row, near.ofBenign(row)) : []));
  const plugins = rows('benign_hard_plugins').flatMap((row) =>
    scanned(row, { kind: 'tools', server: row.text('server'), tools: [] }),
  );

  const flagged = ({ scan }: Scanned) => isFlagged(scan);
  const blocked = ({ scan }: Scanned) => isBlocked(scan);
  const outOfScope = ({ scan }: Scanned) => scan.findings.some(({ id }) => ABOUT_PARAMETERS.test(id));
  const beside = (one: Scanned): boolean => flagged(one) || hasShadow(one.row, near, findShadow);
  const of = (signal: string) => poisoned.filter(({ row }) => row.is('signal', signal));
  const like = (...types: readonly string[]) => poisoned.filter(({ row }) => row.is('attack_type', ...types));
  return {
    'detection.explicit.found': judge(of('explicit'), flagged),
    'detection.explicit.false_alarms': judge(real, flagged),
    'detection.promotional.found': judge(of('promotional'), flagged),
    'detection.schema.found': judge(of('schema'), flagged),
    'detection.context.found': judge(of('context'), beside),
    'detection.block.found': judge(of('explicit'), blocked),
    'detection.block.false_alarms': judge(real, blocked),
    'detection.block.plugin_alarms': judge(plugins, blocked),
    'detection.block.payloads': judge(like(...PAYLOADS), blocked),
    'detection.plugin.false_alarms': judge(plugins, flagged),
    'detection.parameter.found_named': judge(like('out_of_scope_parameter'), outOfScope),
    'detection.parameter.found': judge(withInjected(like('out_of_scope_parameter'), real), outOfScope),
    'detection.parameter.false_alarms': judge(real, outOfScope),
  };
}

/** A name that stands among other names in tools of several kinds, and in no honest one, was put in; some rows that say so have none. */
const KINDS = 3;

function withInjected(rows: readonly Scanned[], honest: readonly Scanned[]): Scanned[] {
  const known = new Set(honest.flatMap(({ row }) => namesOf(row)));
  const beside = new Map<string, Set<string>>();
  for (const { row } of rows)
    for (const name of namesOf(row)) {
      const others = beside.get(name) ?? new Set();
      others.add(
        namesOf(row)
          .filter((other) => other !== name)
          .join(),
      );
      beside.set(name, others);
    }
  return rows.filter(({ row }) =>
    namesOf(row).some((name) => !known.has(name) && (beside.get(name)?.size ?? 0) >= KINDS),
  );
}

function namesOf(row: DataRow): readonly string[] {
  const definition = row.object('tool');
  return definition === undefined ? [] : toCandidate('', definition).parameters;
}

/** Harm that is only there beside a peer is found by comparison: both readers of the product stand before use. */
function hasShadow(row: DataRow, near: Neighbours, findShadow: FindShadow | undefined): boolean {
  const definition = row.object('tool');
  if (findShadow === undefined || definition === undefined) return false;
  const { server, peers } = near.ofPoisoned(row);
  return peers.length > 0 && findShadow(toCandidate(server, definition), peers).length > 0;
}

function judge(scans: readonly Scanned[], hits: (one: Scanned) => boolean): Judged[] {
  return scans.map((one) => ({
    id: one.row.id,
    source: one.row.source,
    group: one.row.text('attack_type') || one.row.text('kind'),
    hit: hits(one),
    note: `${describeScan(one.scan)}\n${JSON.stringify(one.row.written['tool']).slice(0, 600)}`,
  }));
}
