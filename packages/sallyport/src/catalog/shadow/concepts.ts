import { stem, toTerms } from '../search/tokens.ts';

/** Words that mean the same in the name or the text of a tool, one line for one meaning. Chinese words are whole terms of two characters. */
const SAME = [
  'create add new make insert generate init initialize initialise build compose 创建 新建 添加 新增 生成',
  'get fetch retrieve read load show view obtain receive download 获取 读取 查看 下载',
  'search find query lookup discover locate explore 搜索 查找 查询 检索',
  'delete remove erase drop destroy purge clear 删除 移除 清除',
  'update edit modify change set patch alter adjust 更新 修改 编辑 设置',
  'save store keep write persist remember storage storing record memorize preserve backup 保存 存储 储存 记住 记录',
  'send post deliver mail submit dispatch transmit 发送 提交',
  'run execute perform invoke launch 运行 执行',
  'list enumerate browse 列出 列表',
  'email mail message 邮件 消息',
  'file document doc 文件 文档',
  'folder directory dir 目录 文件夹',
  'note memo memory 笔记 备忘',
  'repository repo project 仓库 项目',
  'web internet online website site page url navigator navigate browser 网页 网站 浏览',
  'price quote cost 价格 报价',
  'stock share equity ticker 股票',
  'weather forecast climate 天气',
  'location place address position poi 地点 位置 地址',
  'route direction directions path way 路线',
  'secure security safe encrypted encrypt private confidential protected 安全 加密 机密',
  'user account member person people 用户 账户',
  'password credential secret key token 密码 密钥 凭证',
  'pay payment transfer purchase buy order 支付 转账 购买 付款',
  'calendar event meeting appointment schedule 日历 会议 日程',
  'image picture photo screenshot 图片 照片 截图',
  'translate translation translator 翻译',
  'calculate compute calculation calculator math 计算',
  'summarize summary summarise digest 摘要 总结',
];

const CONCEPTS: ReadonlyMap<string, string> = new Map(
  SAME.flatMap((line) => {
    const words = line.split(' ');
    return words.map((word) => [stem(word), `=${words[0]}`] as const);
  }),
);

/** Words that carry no meaning of their own in the text of a tool. */
const EMPTY = new Set(
  `a an and any are arg args argument arguments as at be been by can could do does each eg either etc for from given has have
  how if ie in into is it its may more must need not of on one only optional or other our output param parameter parameters
  please provide provided provides required response result results return returned returning returns s should so some
  specific specified specify str string such than that the their them then there these they this those to tool tools type
  up upon us use used useful user users uses using value values via was we were what when whenever where whether which
  while who will with within without you your default true false none null int integer number bool boolean object array
  dict data information info allow allows enable enables based e g i also include includes including following support
  supports 的 了 和 与 或 在 是 一 个 用 于 该 此 这 以 及 为 中 将 可 有`
    .split(/\s+/)
    .map(stem),
);

export function isEmptyTerm(term: string): boolean {
  return EMPTY.has(term);
}

/** What a text speaks of: its terms without empty words, those that mean the same as one. */
export function toConcepts(text: string): Set<string> {
  const concepts = new Set<string>();
  for (const term of toTerms(text)) {
    if (isEmptyTerm(term)) continue;
    concepts.add(CONCEPTS.get(term) ?? term);
  }
  return concepts;
}

/** An action that most servers have says less of a tool than what it acts on. */
export function weightOf(concept: string): number {
  return concept.startsWith('=') && ACTIONS.has(concept) ? 0.5 : 1;
}

const ACTIONS = new Set(SAME.slice(0, 9).map((line) => `=${line.split(' ')[0]}`));
