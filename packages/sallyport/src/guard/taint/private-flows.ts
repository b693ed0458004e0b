import type { TaintFlow, TaintSettings } from '../../config/taint-section.ts';

/** Settings with the rules about private values only, each as `change` has it; `more` are kept beside them as they are. */
export function privateFlows(
  change: (flow: TaintFlow) => TaintFlow,
  more: (flow: TaintFlow) => boolean = () => false,
): (settings: TaintSettings) => TaintSettings {
  const known = new WeakMap<TaintSettings, TaintSettings>();
  return (settings) => {
    let reduced = known.get(settings);
    if (reduced === undefined) {
      const isPrivate = ({ from, by }: TaintFlow) => by === 'value' && from !== 'untrusted';
      const flows = settings.flows.flatMap((flow) => (isPrivate(flow) ? [change(flow)] : more(flow) ? [flow] : []));
      reduced = { ...settings, flows };
      known.set(settings, reduced);
    }
    return reduced;
  };
}
