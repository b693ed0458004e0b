/** Protocol revisions spoken in front. Legacy: with `initialize`; modern: per-request `_meta` (2026-07-28 and later). */
export const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const MODERN_REVISIONS = ['2026-07-28'] as const;
export const SUPPORTED_REVISIONS: readonly string[] = [...MODERN_REVISIONS, ...LEGACY_REVISIONS];

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];

export function isLegacyRevision(value: unknown): value is LegacyRevision {
  return LEGACY_REVISIONS.some((revision) => revision === value);
}

export function isModernRevision(value: unknown): boolean {
  return MODERN_REVISIONS.some((revision) => revision === value);
}

/** The revision a legacy session runs under: the one asked for, or our newest (2025-11-25 lifecycle#version-negotiation). */
export function negotiate(requested: unknown): LegacyRevision {
  return isLegacyRevision(requested) ? requested : LEGACY_REVISIONS[0];
}

/** JSON-RPC batches exist in this revision only. */
export function hasBatches(revision: LegacyRevision): boolean {
  return revision === '2025-03-26';
}

/** Clients from here on understand an event with an id and no data, sent first so that they can reconnect (SEP-1699). */
export function hasPrimingEvents(revision: LegacyRevision): boolean {
  return revision === '2025-11-25';
}
