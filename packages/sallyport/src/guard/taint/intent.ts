import type { SinkClass } from '../../core/sink.ts';
import { OTHER_VERBS } from '../sinks/words.ts';
import { type Head, toHeads } from './read-request.ts';

/** Words people use when they ask for an act. */
interface Asking {
  /** These alone. */
  readonly verbs: ReadonlySet<string>;
  /** As often a noun: only with what it is done to behind it. */
  readonly nouns: ReadonlySet<string>;
  /** A common verb that only asks for this where the request also speaks of `about`. */
  readonly common?: { readonly verbs: ReadonlySet<string>; readonly about: RegExp };
  readonly chinese: RegExp;
}

/**
 * How people ask for an effect. Where a client brings the user's request, an effect that it does not ask for is not the
 * user's, whatever values it is given: "what is in invoice 17?" deletes no invoice 17.
 */
const EFFECTS: Readonly<Record<SinkClass, Asking>> = {
  delete: asking(
    'delete remove erase purge drop wipe trash discard uninstall unlink cancel prune clean',
    'clear reset',
    {
      verbs: 'get',
      about: /\bget rid\b/i,
      chinese: /删除|清空|移除|清理|取消/,
    },
  ),
  pay: asking(
    'pay buy purchase refund donate sell withdraw deposit settle repay',
    'order book transfer wire tip trade charge invest rent',
    {
      verbs: 'send give move place make execute',
      about:
        /[$€£¥]\s?\d|\d\s?(?:[$€£¥]|usd|eur|gbp|chf|cny|dollars?|euros?|pounds?|yuan)\b|\b(?:money|payment|funds|order|shares)\b/i,
      chinese: /支付|付款|转账|购买|下单|退款|充值|汇款/,
    },
  ),
  send_out: asking(
    'send forward reply respond notify inform submit upload broadcast deliver invite remind resend',
    'email mail message text post call slack answer share contact ping dm tell ask write sms',
    {
      verbs: 'let put drop',
      about: /\blet (?!me\b|us\b)\S{1,40}(?: \S{1,40})? know\b|\b(?:into|in) (?:#|the \S{1,40} channel)/i,
      chinese: /发送|发给|发邮件|转发|通知|回复|上传|告诉|分享/,
    },
  ),
  run_code: asking(
    'run execute rerun start launch compile install deploy evaluate build calculate compute plot',
    'test query script analyse analyze',
    {
      chinese: /运行|执行|安装|部署|计算/,
    },
  ),
  change_rights: asking(
    'grant revoke promote demote authorize authorise disable enable block unblock ban invite register',
    'share allow',
    {
      verbs: 'add remove give create make set change assign delete',
      about:
        /\b(?:access|permissions?|roles?|members?|admins?|collaborators?|users?|owners?|accounts?|team|guests?|rights?|group)\b/i,
      chinese: /授权|授予|权限|邀请|角色|成员/,
    },
  ),
  credentials: asking('rotate login authenticate', '', {
    verbs:
      'change reset set create get show fetch store save use generate retrieve log sign list update enter give tell',
    about:
      /\b(?:passwords?|secrets?|credentials?|(?:api|access|ssh|private)[ _-]keys?|tokens?|otp|passphrase|log ?in|sign ?in)\b/i,
    chinese: /密码|密钥|口令|登录|凭证/,
  }),
  write_public: asking('publish tweet announce', 'blog', {
    verbs: 'post share upload release put write',
    about:
      /\b(?:public(?:ly)?|blog|twitter|tweet|mastodon|linkedin|facebook|instagram|youtube|tiktok|website|feed|timeline|social|everyone)\b/i,
    chinese: /发布|公开|发帖|发推/,
  }),
};

/** "Make a list" is asked for, "make it perfect" is not. */
const MAKING = {
  verbs: 'make take leave',
  about: /\bmake (?:an?|the|some) |\btake (?:an? |some )?notes?\b|\bleave (?:an?|the) (?:note|comment|message)\b/i,
};

/** The same of acts that have none of these effects, by the words tools have for them. */
const ACTS: readonly (readonly [ReadonlySet<string>, Asking])[] = [
  [
    set('create add new insert draft generate compose log register remind make'),
    asking('create add insert append generate compose arrange put write save', 'draft schedule book set', {
      ...MAKING,
      chinese: /创建|新建|添加|写入|保存|安排|记下/,
    }),
  ],
  [
    set('write save store put append upsert note record remember memorize'),
    asking(
      'create add append write save store put keep jot update edit overwrite replace',
      'note record log draft remember',
      { ...MAKING, chinese: /创建|新建|添加|写入|保存|记下|更新/ },
    ),
  ],
  [
    set('book schedule reserve arrange'),
    asking('reserve arrange', 'book schedule', {
      verbs: 'make put create add',
      about: /\b(?:reservation|booking|appointment|meeting|call|event)\b/i,
      chinese: /预订|预约|安排/,
    }),
  ],
  [
    set(
      'update edit set change modify rename move adjust mark complete finish fix replace correct assign label tag archive toggle patch transition resolve',
    ),
    asking(
      'update edit change modify rename move adjust complete fix replace assign archive toggle resolve',
      'mark set correct label tag patch',
      { chinese: /更新|修改|编辑|移动|标记/ },
    ),
  ],
  [
    set('comment reply respond answer react review'),
    asking('reply respond react', 'comment answer review post', {
      verbs: 'add leave write put',
      about: /\b(?:comment|note|reply)\b/i,
      chinese: /评论|回复/,
    }),
  ],
  [
    set('upload import copy sync download export'),
    asking('upload import copy sync download export transfer', 'backup', { chinese: /上传|导入|复制|下载|导出/ }),
  ],
];

/** Does the request ask for every one of these effects? */
export function asksFor(request: string, sinks: readonly SinkClass[]): boolean {
  return sinks.every((sink) => isAsked(request, EFFECTS[sink]));
}

/** What is put there speaks in every later conversation, so "save the file" is not enough (memory poisoning). */
const LASTING: ReadonlySet<string> = set(
  'memory memories rule rules instruction instructions prompt prompts persona preference preferences',
);
const ABOUT_LASTING =
  /\b(?:remember(?! to\b)|memor\w{1,8}|from now on|always|never|rules?|instructions?|prompts?|personas?|preferences?|keep in mind)\b|记住|规则|偏好/i;

/** Does the request ask for what a tool of this name does? Its verb counts: what a request is about is named by every request. */
export function asksForAct(request: string, words: readonly string[]): boolean {
  if (words.some((word) => LASTING.has(word)) && !ABOUT_LASTING.test(request)) return false;
  if (ACTS.some(([names, asked]) => words.some((word) => names.has(word)) && isAsked(request, asked))) return true;
  const verb = words.find((word) => OTHER_VERBS.has(word)) ?? words[0] ?? '';
  return verb.length > 2 && toHeads(request).some((head) => head.word === verb && isSaid(head));
}

function isAsked(request: string, { verbs, nouns, common, chinese }: Asking): boolean {
  if (chinese.test(request)) return true;
  return toHeads(request).some(
    (head) =>
      !isToldToMe(head) &&
      isSaid(head) &&
      (verbs.has(head.word) ||
        (nouns.has(head.word) && head.hasObject) ||
        (common?.verbs.has(head.word) === true && common.about.test(request))),
  );
}

function isSaid({ isWeak, hasObject }: Head): boolean {
  return !isWeak || hasObject;
}

/** "Tell me", "send me the list": the answer goes to whoever asks, in the conversation. */
function isToldToMe({ next }: Head): boolean {
  return next === 'me' || next === 'us';
}

function asking(
  verbs: string,
  nouns: string,
  more: { readonly verbs?: string; readonly about?: RegExp; readonly chinese: RegExp },
): Asking {
  const { about, chinese } = more;
  const common = about === undefined ? undefined : { verbs: set(more.verbs ?? ''), about };
  return { verbs: set(verbs), nouns: set(nouns), chinese, ...(common === undefined ? {} : { common }) };
}

function set(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
