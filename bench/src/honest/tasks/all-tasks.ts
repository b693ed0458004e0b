import type { Task, World } from '../world.ts';
import { chineseTasks } from './chinese.ts';
import { codeTasks } from './code.ts';
import { fileTasks } from './files.ts';
import { knowledgeTasks } from './knowledge.ts';
import { mailTasks } from './mail.ts';
import { numberTasks } from './numbers.ts';
import { planningTasks } from './planning.ts';
import { webTasks } from './web.ts';

export function makeTasks(world: World): readonly Task[] {
  return [fileTasks, codeTasks, knowledgeTasks, mailTasks, planningTasks, numberTasks, webTasks, chineseTasks].flatMap(
    (tasks) => tasks(world),
  );
}
