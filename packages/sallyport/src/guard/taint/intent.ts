import type { SinkClass } from '../../core/sink.ts';

/**
 * Words by which people ask for an effect. Where a client brings the user's request, an effect that it does not ask for is
 * not the user's, whatever values it is given: "what is in invoice 17?" deletes no invoice 17.
 */
const ASKED: Readonly<Record<SinkClass, RegExp>> = {
  delete:
    /\b(?:delet\w*|remov\w*|eras\w*|purg\w*|drop\w*|clear\w*|clean\w*|wip\w*|trash\w*|discard\w*|uninstall\w*|unlink\w*|get rid|cancel\w*|clos\w*|prun\w*|reset\w*)\b|删除|清空|移除|清理|取消/i,
  pay: /\b(?:pay\w*|paid|buy\w*|purchas\w*|order\w*|transfer\w*|send\w*|wire\w*|refund\w*|donat\w*|tip\w*|book\w*|sell\w*|trad\w*|invest\w*|withdraw\w*|deposit\w*|charg\w*|settl\w*|rent|bill)\b|支付|付款|转账|购买|下单|退款|充值|买|汇款/i,
  send_out:
    /\b(?:send\w*|sent|e-?mail\w*|mail\w*|messag\w*|text|sms|notif\w*|tell|inform\w*|let \S{1,40} know|repl\w*|respond\w*|answer\w*|forward\w*|shar\w*|post\w*|submit\w*|upload\w*|invit\w*|contact\w*|call|ask|writ\w*|slack|dm|ping|remind\w*|broadcast\w*|deliver\w*)\b|发送|发给|发邮件|转发|通知|回复|上传|告诉|分享/i,
  run_code:
    /\b(?:run\w*|execut\w*|start\w*|launch\w*|build\w*|test\w*|install\w*|compil\w*|deploy\w*|script\w*|command\w*|code|evaluat\w*|calculat\w*|comput\w*|plot\w*|analy\w*|query\w*|sql)\b|运行|执行|安装|部署|测试|计算/i,
  change_rights:
    /\b(?:grant\w*|revok\w*|permission\w*|access|rights?|roles?|invit\w*|add\w*|remov\w*|shar\w*|promot\w*|demot\w*|member\w*|admin\w*|authori[sz]\w*|allow\w*|disabl\w*|enabl\w*|block\w*|creat\w*|register\w*|account)\b|授权|权限|添加|邀请|角色|成员/i,
  credentials:
    /\b(?:password\w*|passwd|secret\w*|credential\w*|api[ _-]?keys?|keys?|tokens?|log ?in|sign ?in|otp|2fa|rotat\w*|passphrase|seed|authenticat\w*)\b|密码|密钥|口令|登录|凭证/i,
  write_public:
    /\b(?:publish\w*|post\w*|tweet\w*|public\w*|blog\w*|releas\w*|announc\w*|shar\w*|comment\w*|upload\w*)\b|发布|公开|发帖|发推|评论/i,
};

/** Does the text ask for every one of these effects? */
export function asksFor(text: string, sinks: readonly SinkClass[]): boolean {
  return sinks.every((sink) => ASKED[sink].test(text));
}

/** Acts whose names people also use when they ask for them: the words of a tool's name that stand in a request. */
export function namesAct(text: string, words: readonly string[]): boolean {
  const said = text.toLowerCase();
  return words.some((word) => word.length >= 4 && said.includes(stem(word)));
}

function stem(word: string): string {
  return word.length > 5 ? word.replace(/(?:ing|ed|es|e|s)$/, '') : word;
}
