/** The revisions of MCP, newest first. A modern one is stated with every request, a legacy one once in `initialize`. */
export const MODERN_REVISIONS: readonly string[] = ['2026-07-28'];
export const LEGACY_REVISIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

export const LATEST_MODERN = '2026-07-28';
export const LATEST_LEGACY = '2025-11-25';
