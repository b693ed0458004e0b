import { type Part, type PartsOptions, runParts } from '../faults/run-parts.ts';
import {
  measureCalls,
  measureHello,
  measureKitStart,
  measureLint,
  measureOpenApi,
  measurePages,
} from './measure-kit.ts';

/** What the kit and the linter cost, beside the SDK alone. @param data folder with catalog-aliyun-zh.jsonl */
export function runKit(data: string | undefined, options: PartsOptions): Promise<string> {
  const parts = new Map<string, Part>([
    ['hello', { measure: measureHello, figures: ['kit.hello_lines'] }],
    ['calls', { measure: measureCalls, figures: ['kit.call_vs_sdk'] }],
    ['starts', { measure: measureKitStart, figures: ['kit.start_ms_vs_sdk'] }],
    ['openapi', { measure: () => measureOpenApi(data), figures: ['kit.openapi_tokens'] }],
    ['lint', { measure: (place) => measureLint(data, place), figures: ['kit.lint_ms'] }],
    ['pages', { measure: measurePages, figures: ['kit.page_mb'] }],
  ]);
  return runParts(parts, options);
}
