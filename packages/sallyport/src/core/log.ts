/** Structured log: one object per line, never a secret, never arguments or results. Implemented in `telemetry/`. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export interface LogFields {
  readonly [name: string]: unknown;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
