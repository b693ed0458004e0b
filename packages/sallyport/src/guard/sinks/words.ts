import type { SinkClass } from '../../core/sink.ts';

/**
 * The words that tell of an effect. Found on 4,685 real definitions: the first verb of a name decides what a tool does
 * (`get_deleted_files` reads), the noun after it decides between meanings (`remove_background`, `remove_member`).
 */

export const READING_VERBS: ReadonlySet<string> = new Set(
  `get gets list lists search searches read reads fetch fetches find finds describe query show view count check checks
  lookup look inspect retrieve browse explore analyze analyse compare summarize summarise extract scrape crawl parse
  validate verify estimate calculate compute convert translate preview explain detect classify monitor watch tail
  download export render format diff resolve geocode help discover recommend suggest measure audit lint
  identify recall simulate quote evaluate_risk has is know ask head stat ls cat grep glob tree history status`.split(
    /\s+/,
  ),
);

/** They do something, but by themselves none of the effects; named so that a later word of the name is not taken for the verb. */
export const OTHER_VERBS: ReadonlySet<string> = new Set(
  `remove removes create creates update updates add adds set edit write insert put patch modify change move copy rename replace append
  upsert start stop restart pause resume open close click type press hover drag navigate scroll wait take capture
  generate make build compile test connect disconnect enable disable register select fill upload save store load import
  sync clone merge commit checkout init initialize login log apply use manage configure attach detach assign unassign
  switch toggle mark pin unpin archive restore rotate reset schedule cancel complete finish complete submit reply
  forward share post draft comment join leave follow like rate react approve reject transfer deploy scale rollback
  rollout label tag untag lock unlock mute subscribe unsubscribe book play rebase stash push pull fork release export_to
  clear empty kill terminate run execute exec eval evaluate invoke call trigger launch perform trade swap stake bridge
  mint order place charge send invite grant revoke allow block ban unban kick promote demote`.split(/\s+/),
);

/** A verb alone, whatever it acts on. */
export const VERBS: ReadonlyMap<string, SinkClass> = new Map(
  entries({
    delete:
      'delete deletes deleting destroy destroys drop drops purge purges erase erases wipe wipes truncate unlink rm trash rmdir del uninstall',
    pay: 'pay pays purchase buy refund withdraw donate tip checkout_cart',
    send_out: 'send sends email sms notify broadcast',
    change_rights: 'grant grants revoke revokes impersonate promote demote',
    write_public: 'publish publishes tweet retweet toot',
  }),
);

interface Phrase {
  readonly verbs: ReadonlySet<string>;
  readonly nouns: ReadonlySet<string>;
  readonly sink: SinkClass;
}

const CHANGING =
  'add remove update set create delete assign unassign change modify put attach detach invite edit manage insert reset rotate store save write generate register patch upsert replace make';
const RUNNING =
  'run runs execute executes executing exec eval evaluate invoke perform launch start trigger send inject';

/** A verb with one of these nouns anywhere after it. */
export const PHRASES: readonly Phrase[] = [
  phrase('remove clear empty kill terminate prune reset', 'all', 'delete'),
  phrase(
    'remove removes',
    'file files folder folders directory record records row rows item items entry entries document documents user users database table bucket collection volume volumes image images container containers branch branches node nodes entity entities relation relations relations observation task tasks event events contact contacts page pages memory memories note notes product products repo repository server servers comment comments message messages member',
    'delete',
  ),
  phrase(
    'clear empty prune',
    'database table collection bucket history records data memory trash queue volume volumes images',
    'delete',
  ),
  phrase('terminate kill', 'instance instances cluster server servers vm database', 'delete'),
  phrase('git', 'reset', 'delete'),
  phrase(
    'send transfer transfers create make submit execute process issue place confirm capture initiate',
    'payment payments payout payouts funds money sol eth btc usdc usdt refund charge charges purchase trade swap cash xrp native erc20 spl nft lamports withdrawal deposit',
    'pay',
  ),
  phrase('place create submit buy sell market limit', 'order orders', 'pay'),
  phrase(
    'trade swap stake unstake bridge mint',
    'token tokens sol eth coin coins nft nfts crypto asset assets position',
    'pay',
  ),
  phrase('post reply forward', 'message messages email mail sms slack chat thread', 'send_out'),
  phrase('make start place', 'call phone', 'send_out'),
  phrase('create add set update trigger', 'webhook webhooks', 'send_out'),
  phrase('share', 'file files document folder drive link', 'send_out'),
  phrase('upload', 'file files document attachment image video media', 'send_out'),
  phrase(
    RUNNING,
    'command commands code script scripts shell python javascript js typescript bash cmd powershell terminal program notebook cell snippet binary executable lua ruby php node container',
    'run_code',
  ),
  phrase('deploy create update upload', 'lambda worker contract function', 'run_code'),
  phrase(
    CHANGING,
    'permission permissions role roles collaborator collaborators access acl acls admin admins owner owners iam privilege privileges member members membership memberships participant participants rbac sudoer',
    'change_rights',
  ),
  phrase('create add invite delete remove disable enable', 'user users account accounts guest', 'change_rights'),
  phrase(
    `${CHANGING} get read fetch retrieve export show reveal list import`,
    'password passwords passwd secret secrets credential credentials apikey passphrase mnemonic otp keypair',
    'credentials',
  ),
  phrase(
    'create post submit add schedule make',
    'tweet tweets post posts blog article tiktok reel gist release',
    'write_public',
  ),
];

/** Two words side by side that are one: `api_key`, `private_key`. */
export const CREDENTIAL_PAIRS: ReadonlySet<string> = new Set([
  ...['api key', 'api keys', 'private key', 'access key', 'access keys', 'secret key', 'ssh key', 'ssh keys'],
  ...['access token', 'access tokens', 'api token', 'api tokens', 'auth token', 'refresh token', 'personal token'],
  ...['seed phrase', 'recovery phrase', 'service key', 'deploy key', 'signing key'],
]);

/** What is sent to a terminal or a page goes no further. */
export const NOT_SENT: ReadonlySet<string> = new Set(
  'key keys keystroke keystrokes input command commands prompt signal query event events request hotkey cdp'.split(' '),
);

/** Chinese: the earliest word decides. `undefined`: it reads. */
export const CHINESE: readonly (readonly [string, SinkClass | undefined])[] = [
  ...['查询', '获取', '搜索', '查看', '列出', '读取', '检索', '查找', '返回', '计算', '统计', '分析'].map(
    (word) => [word, undefined] as const,
  ),
  ...chinese('delete', '删除 清空 移除 销毁 注销 清除'),
  ...chinese('pay', '支付 付款 转账 购买 下单 退款 充值 提现'),
  ...chinese('send_out', '发送 发邮件 转发 群发 推送 上传'),
  ...chinese('run_code', '执行代码 执行命令 运行代码 运行命令 运行脚本 执行脚本'),
  ...chinese('change_rights', '授权 授予 撤销权限 修改权限 分配角色 添加成员 移除成员 设置权限'),
  ...chinese('credentials', '重置密码 修改密码 设置密码 生成密钥 创建密钥 获取密钥 获取密码'),
  ...chinese('write_public', '发布 发帖 公开 发推'),
];

function chinese(sink: SinkClass, words: string): (readonly [string, SinkClass])[] {
  return words.split(' ').map((word) => [word, sink]);
}

function phrase(verbs: string, nouns: string, sink: SinkClass): Phrase {
  return { verbs: new Set(verbs.split(' ')), nouns: new Set(nouns.split(' ')), sink };
}

function entries(words: Partial<Record<SinkClass, string>>): [string, SinkClass][] {
  // The keys are those of the argument's type.
  return (Object.entries(words) as [SinkClass, string][]).flatMap(([sink, text]) =>
    text.split(' ').map((word): [string, SinkClass] => [word, sink]),
  );
}
