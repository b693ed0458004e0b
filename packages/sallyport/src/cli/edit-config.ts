import { existsSync } from 'node:fs';
import { listWritten } from '../config/list-written.ts';
import { isYaml } from '../config/parse-file.ts';
import type { JsonObject } from '../core/json.ts';
import { type Input, textOption } from './command.ts';
import { findConfigFile, newConfigFile, readConfigText } from './config-file.ts';

/** A configuration file about to be shown or edited. */
export interface OpenFile {
  readonly file: string;
  readonly yaml: boolean;
  /** Empty for a file that is yet to be made. */
  readonly text: string;
  /** As written, unchecked. */
  readonly servers: ReadonlyMap<string, JsonObject>;
}

/**
 * The configuration of this command line; for one that is to be written also where there is none yet.
 * @throws FaultError `config` for a file that cannot be read.
 */
export function openConfig(input: Input): OpenFile {
  const file = findConfigFile(textOption(input.options, 'config'), input.terminal) ?? newConfigFile(input.terminal);
  const text = existsSync(file) ? readConfigText(file) : '';
  const yaml = isYaml(file);
  return { file, yaml, text, servers: listWritten(file, text, yaml) };
}
