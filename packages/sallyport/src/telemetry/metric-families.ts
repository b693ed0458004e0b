import type { Histogram } from './histogram.ts';

/** Names and values in the order they are shown. Names are OpenTelemetry's, with dots. */
export type Labels = readonly (readonly [name: string, value: string])[];

/** One metric with all its series, as it stands when somebody asks. */
export type Family =
  | {
      readonly kind: 'counter' | 'gauge';
      readonly name: string;
      readonly unit: string;
      readonly help: string;
      readonly points: readonly { readonly labels: Labels; readonly value: number }[];
    }
  | {
      readonly kind: 'histogram';
      readonly name: string;
      readonly unit: string;
      readonly help: string;
      readonly points: readonly { readonly labels: Labels; readonly histogram: Histogram }[];
    };
