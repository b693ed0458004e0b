import type { TaintFlow, TaintSettings } from '../../config/taint-section.ts';

/** Settings with the rules about private values only, each as `change` has it. */
export function privateFlows(change: (flow: TaintFlow) => TaintFlow): (settings: TaintSettings) => TaintSettings {
  const known = new WeakMap<TaintSettings, TaintSettings>();
  return (settings) => {
    let reduced = known.get(settings);
    if (reduced === undefined) {
      const flows = settings.flows.filter(({ from, by }) => by === 'value' && from !== 'untrusted').map(change);
      reduced = { ...settings, flows };
      known.set(settings, reduced);
    }
    return reduced;
  };
}
