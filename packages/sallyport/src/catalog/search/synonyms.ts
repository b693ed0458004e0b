import { stem, toTerms } from './tokens.ts';

/** What is done, one line for one meaning: most tools have one of these, so it says less of them than what it is done to. */
const DEEDS = [
  'create add new make insert generate init initialize initialise build compose 创建 新建 添加 新增 生成',
  'get fetch retrieve read load show view obtain receive download display 获取 读取 查看 下载',
  'search find query lookup discover explore 搜索 查找 查询 检索',
  'delete remove erase drop destroy purge clear discard 删除 移除 清除',
  'update edit modify change set patch alter adjust amend revise 更新 修改 编辑 设置',
  'save store keep write persist remember storage storing record memorize preserve backup 保存 存储 储存 记住 记录',
  'send post deliver submit dispatch transmit forward 发送 提交',
  'run execute perform invoke launch start 运行 执行',
  'list enumerate browse 列出 列表',
  'cancel terminate revoke abort annul 取消 终止 撤销',
  'approve accept confirm authorize authorise 批准 审批 确认',
  'reject decline refuse deny 拒绝 驳回',
  'close resolve finish complete 关闭 解决 完成',
  'book reserve reservation booking 预订 预约 预定',
  'hire employ recruit 雇用 聘用 招聘 录用',
  'refund reimburse repay 退款 报销',
  'invite 邀请',
  'copy duplicate clone replicate 复制',
  'move relocate 移动',
  'upload put 上传',
];

/** What it is done to. A word with two meanings has the one that tools mean more often. */
const THINGS = [
  'email mail message letter 邮件 消息',
  'file document doc 文件 文档',
  'folder directory dir 目录 文件夹',
  'note memo memory 笔记 备忘',
  'repository repo project 仓库 项目',
  'web internet online website site page url navigator navigate browser 网页 网站 浏览',
  'price quote cost 价格 报价',
  'stock share equity ticker symbol 股票',
  'weather forecast climate 天气',
  'location place address position poi 地点 位置 地址',
  'route direction directions path way 路线',
  'secure security safe encrypted encrypt private confidential protected 安全 加密 机密',
  'user account member person people 用户 账户',
  'password credential secret key token 密码 密钥 凭证',
  'pay payment transfer 支付 转账 付款',
  'order purchase buy acquire 订单 订购 购买 下单 采购',
  'calendar event meeting appointment schedule 日历 会议 日程',
  'image picture photo photograph screenshot 图片 照片 截图',
  'translate translation translator 翻译',
  'calculate compute calculation calculator math 计算',
  'summarize summary summarise digest 摘要 总结',
  'invoice bill 发票 账单',
  'customer client buyer consumer 客户 顾客',
  'employee staff worker personnel 员工 职员 雇员',
  'salary wage compensation 工资 薪水 薪资',
  'ticket issue case incident 工单',
  'supplier vendor 供应商 供货商',
  'product item article goods sku 商品 产品 货物',
  'contract agreement 合同 协议',
  'candidate applicant 候选人 应聘者',
  'subscription membership 订阅 会员',
  'flight plane airplane 航班',
  'report 报告 报表',
  'task todo 任务 待办',
  'company organization organisation org firm enterprise corporation 公司 组织 企业',
  'department division 部门',
  'team group 团队 小组',
  'comment remark 评论',
  'parcel package shipment delivery 包裹 快递',
  'guest attendee participant invitee 参加者 与会者',
  'date day 日期',
  'phone telephone mobile 电话 手机',
  'car vehicle automobile 汽车 车辆',
  'doctor physician 医生',
  'student pupil 学生',
  'teacher instructor 教师 老师',
  'course class lesson 课程',
  'movie film 电影 影片',
  'song track 歌曲',
  'job vacancy 职位 岗位',
  'database db 数据库',
  'table sheet spreadsheet 表格',
  'chart graph plot diagram 图表',
  'error exception failure bug 错误 异常',
  'channel room 频道',
  'recipient addressee 收件人',
  'number id identifier 编号',
  'amount sum total 金额',
  'quantity count 数量',
  'city town 城市',
  'album gallery 相册',
];

/** The first words of a line are the usual ones. */
const MAX_ENGLISH = 3;
const HAN = /\p{Script=Han}/u;
const MEANINGS = new Map<string, string>();
/** Meaning -> its English words. */
const ENGLISH = new Map<string, readonly string[]>();
let longest = 0;
for (const line of [...DEEDS, ...THINGS]) {
  const words = line.split(' ');
  ENGLISH.set(`=${words[0]}`, [...new Set(words.filter((word) => !HAN.test(word)).map(stem))].slice(0, MAX_ENGLISH));
  for (const word of words) {
    MEANINGS.set(stem(word), `=${words[0]}`);
    if (HAN.test(word)) longest = Math.max(longest, word.length);
  }
}
const ACTIONS: ReadonlySet<string> = new Set(DEEDS.map((line) => `=${line.split(' ', 1)[0]}`));

/** The terms of a text, those that mean the same as one, e.g. `=delete`: no term of a text has that sign. */
export function toMeanings(text: string): string[] {
  if (!HAN.test(text)) return toTerms(text).map((term) => MEANINGS.get(term) ?? term);
  const meanings: string[] = [];
  let from = 0;
  // Nothing separates Chinese words: the longest that is known is one, what is left is read by its characters.
  for (let at = 0; at < text.length; ) {
    const word = HAN.test(text[at] ?? '') ? knownAt(text, at) : undefined;
    if (word === undefined) {
      at += 1;
      continue;
    }
    meanings.push(...toMeaningsOf(text.slice(from, at)), MEANINGS.get(word) ?? word);
    at += word.length;
    from = at;
  }
  return [...meanings, ...toMeaningsOf(text.slice(from))];
}

/** The English words for the Chinese words of a text that are in the table. */
export function toEnglish(text: string): readonly string[] {
  if (!HAN.test(text)) return [];
  const words = new Set<string>();
  for (let at = 0; at < text.length; ) {
    const word = HAN.test(text[at] ?? '') ? knownAt(text, at) : undefined;
    for (const one of word === undefined ? [] : (ENGLISH.get(MEANINGS.get(word) ?? '') ?? [])) words.add(one);
    at += word?.length ?? 1;
  }
  return [...words];
}

function toMeaningsOf(rest: string): string[] {
  return toTerms(rest).map((term) => MEANINGS.get(term) ?? term);
}

function knownAt(text: string, at: number): string | undefined {
  for (let length = longest; length > 1; length--) {
    const word = text.slice(at, at + length);
    if (MEANINGS.has(word)) return word;
  }
  return undefined;
}

/** Whether it is what is done, and not what it is done to. */
export function isDeed(meaning: string): boolean {
  return ACTIONS.has(meaning);
}

/** Every word of the table, for a test that none stands in two lines. */
export const SYNONYMS: readonly string[] = [...DEEDS, ...THINGS];
