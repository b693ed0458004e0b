import type { Command } from './command.ts';
import { defineCompletion } from './completion.ts';
import { doctor } from './doctor.ts';
import { importServers } from './import.ts';
import { promptGet } from './prompt-get.ts';
import { promptList } from './prompt-list.ts';
import { resourceList } from './resource-list.ts';
import { resourceRead } from './resource-read.ts';
import { schema } from './schema.ts';
import { serverAdd } from './server-add.ts';
import { serverList } from './server-list.ts';
import { serverRemove } from './server-remove.ts';
import { serverRestart } from './server-restart.ts';
import { serverShow } from './server-show.ts';
import { stdio } from './stdio.ts';
import { toolCall } from './tool-call.ts';
import { toolList } from './tool-list.ts';
import { toolShow } from './tool-show.ts';
import { up } from './up.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  up,
  stdio,
  serverAdd,
  serverList,
  serverShow,
  serverRemove,
  serverRestart,
  toolList,
  toolShow,
  toolCall,
  resourceList,
  resourceRead,
  promptList,
  promptGet,
  importServers,
  doctor,
  defineCompletion(() => COMMANDS),
  schema,
];
