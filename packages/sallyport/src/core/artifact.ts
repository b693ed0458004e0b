import type { ByteSource } from './byte-source.ts';

/** Whose artifact it is: nobody else reads it. */
export interface ArtifactOwner {
  /** Id of the principal; empty: nobody is known, and nobody may read it. */
  readonly principal: string;
  /** The program of the caller; empty where its credential names none. */
  readonly agent: string;
  /** The run that the result came in. */
  readonly run: string;
}

/** What the bytes are, and so how they are read in parts. */
export type ArtifactForm = 'text' | 'json' | 'binary';

/** A stored large result, or a large part of one. */
export interface Artifact {
  readonly id: string;
  readonly owner: ArtifactOwner;
  /** Where the call came in: `all` or `bundle <name>`. */
  readonly endpoint: string;
  readonly upstream: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** The same as clients of that endpoint call it. */
  readonly publicName: string;
  readonly callId: string;
  /** What taint tracking says of its source at that time; `undefined`: nothing was labelled. */
  readonly labels: number | undefined;
  readonly form: ArtifactForm;
  readonly mimeType: string;
  readonly bytes: number;
  /** Of a text, in UTF-16 units; 0 for binary data. */
  readonly characters: number;
  readonly lines: number;
  /**
   * How many characters and line feeds stand before each block of {@link BLOCK} bytes, two numbers each: a range is found
   * without reading what is before it. Empty for binary data.
   */
  readonly blocks: readonly number[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Bytes of one block: what is sealed, stored and read in one piece. */
export const BLOCK = 65_536;

export type NewArtifact = Omit<Artifact, 'id' | 'createdAt' | 'expiresAt' | 'bytes'>;

export interface ArtifactLimits {
  readonly keepMs: number;
  /** Of all artifacts together, and of one caller's at most seven eighths of what is free. Bytes. */
  readonly maxBytes: number;
  /** Where the bytes go. */
  readonly store: 'files' | 'database';
  readonly isSealed: boolean;
}

/** Where artifacts are. Every process on the state directory reads those of all. Implemented in `storage/`. */
export interface ArtifactStore {
  /**
   * Nothing of it is visible before all of it is on disk.
   * @throws FaultError `too_large` where there is no room for it by the limits, `overloaded` where the disk is full or cannot
   * be written
   */
  save(about: NewArtifact, content: ByteSource, limits: ArtifactLimits): Promise<Artifact>;
  /** `undefined`: there is none, or not any longer. */
  find(id: string): Promise<Artifact | undefined>;
  /** @throws FaultError `not_found` where the bytes are gone, `internal` where they were changed */
  open(artifact: Artifact): Promise<ByteSource & { close(): Promise<void> }>;
  /** Principals with artifacts that can still be read, at most so many. */
  holders(limit: number): Promise<readonly string[]>;
  /** Deletes what has expired and what was left half done, a bounded number at a time. */
  sweep(): Promise<void>;
}

const SCHEME = 'sallyport://artifact/';
const ID = /^ar_[0-9a-f]{32}$/;

export function toArtifactUri(id: string): string {
  return SCHEME + id;
}

/** The id in a URI of ours, or an id alone; `undefined`: it is neither. */
export function toArtifactId(text: string): string | undefined {
  const id = text.startsWith(SCHEME) ? text.slice(SCHEME.length) : text;
  return ID.test(id) ? id : undefined;
}

/** Is it an address of ours, whether there is something or not? */
export function isArtifactUri(uri: string): boolean {
  return uri.startsWith(SCHEME);
}
