import { approvalAllow } from './approval-allow.ts';
import { approvalDeny } from './approval-deny.ts';
import { approvalList } from './approval-list.ts';
import { approvalRevoke } from './approval-revoke.ts';
import { approvalShow } from './approval-show.ts';
import { approvalWatch } from './approval-watch.ts';
import { auditExport } from './audit-export.ts';
import { auditFollow } from './audit-follow.ts';
import { auditIndex } from './audit-index.ts';
import { auditRepair } from './audit-repair.ts';
import { auditSearch } from './audit-search.ts';
import { auditVerify } from './audit-verify.ts';
import type { Command } from './command.ts';
import { defineCompletion } from './completion.ts';
import { doctor } from './doctor.ts';
import { drill } from './drill.ts';
import { importServers } from './import.ts';
import { keyCreate } from './key-create.ts';
import { keyList } from './key-list.ts';
import { keyRevoke } from './key-revoke.ts';
import { keyShow } from './key-show.ts';
import { lint } from './lint.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { newServer } from './new-server.ts';
import { newTool } from './new-tool.ts';
import { pinApprove } from './pin-approve.ts';
import { pinDiff } from './pin-diff.ts';
import { pinList } from './pin-list.ts';
import { pinLock } from './pin-lock.ts';
import { pinReject } from './pin-reject.ts';
import { pinVerify } from './pin-verify.ts';
import { planEnd } from './plan-end.ts';
import { planList } from './plan-list.ts';
import { planRegister } from './plan-register.ts';
import { planShow } from './plan-show.ts';
import { policyCheck } from './policy-check.ts';
import { policyList } from './policy-list.ts';
import { policySets } from './policy-sets.ts';
import { policyShadow } from './policy-shadow.ts';
import { policyTest } from './policy-test.ts';
import { policyWhy } from './policy-why.ts';
import { promptGet } from './prompt-get.ts';
import { promptList } from './prompt-list.ts';
import { registryAdd } from './registry-add.ts';
import { registrySearch } from './registry-search.ts';
import { resourceList } from './resource-list.ts';
import { resourceRead } from './resource-read.ts';
import { resultDrop } from './result-drop.ts';
import { resultList } from './result-list.ts';
import { resultRelease } from './result-release.ts';
import { resultShow } from './result-show.ts';
import { scan } from './scan.ts';
import { schema } from './schema.ts';
import { serverAdd } from './server-add.ts';
import { serverList } from './server-list.ts';
import { serverRemove } from './server-remove.ts';
import { serverRestart } from './server-restart.ts';
import { serverShow } from './server-show.ts';
import { stdio } from './stdio.ts';
import { tokens } from './tokens.ts';
import { toolCall } from './tool-call.ts';
import { toolFind } from './tool-find.ts';
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
  registrySearch,
  registryAdd,
  toolList,
  toolFind,
  toolShow,
  toolCall,
  tokens,
  resourceList,
  resourceRead,
  promptList,
  promptGet,
  keyCreate,
  keyList,
  keyShow,
  keyRevoke,
  approvalWatch,
  approvalList,
  approvalShow,
  approvalAllow,
  approvalDeny,
  approvalRevoke,
  policySets,
  policyList,
  policyCheck,
  policyTest,
  policyWhy,
  policyShadow,
  pinList,
  pinDiff,
  pinApprove,
  pinReject,
  pinLock,
  pinVerify,
  scan,
  lint,
  newServer,
  newTool,
  planRegister,
  planList,
  planShow,
  planEnd,
  resultList,
  resultShow,
  resultRelease,
  resultDrop,
  login,
  logout,
  auditVerify,
  auditSearch,
  auditExport,
  auditFollow,
  auditIndex,
  auditRepair,
  importServers,
  doctor,
  drill,
  defineCompletion(() => COMMANDS),
  schema,
];
