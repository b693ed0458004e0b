import { argumentSchema } from './argument-schema.ts';
import type { Guard } from './guard.ts';
import { resultSchema } from './result-schema.ts';
import type { SchemaChecker } from './schema/schema-checker.ts';
import { type SizeLimits, sizeAndShape } from './size-and-shape.ts';
import { type VisibilityPorts, visibility } from './visibility.ts';

export interface GuardPorts {
  readonly checker: Pick<SchemaChecker, 'validate' | 'whySetAside'>;
  /** Of the snapshot in force; default 4 MiB and 64 levels. */
  readonly limits?: (() => SizeLimits) | undefined;
  /** Default: what was resolved is visible. */
  readonly isVisible?: VisibilityPorts['isVisible'] | undefined;
}

const LIMITS: SizeLimits = { bodyBytes: 4 * 1024 * 1024, depth: 64 };

/** Every guard, in the order of both doors. Cheap checks first; whoever adds one adds a line here. */
export function createGuards(ports: GuardPorts): readonly Guard[] {
  const { checker, limits = () => LIMITS, isVisible = () => true } = ports;
  return [
    sizeAndShape(limits),
    visibility({ isVisible, whySetAside: (digest) => checker.whySetAside(digest) }),
    argumentSchema(checker),
    resultSchema(checker),
  ];
}
