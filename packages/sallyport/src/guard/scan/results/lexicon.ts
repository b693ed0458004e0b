import { addTo } from '../../../core/add-to.ts';
import { BACKWARDS } from '../turned.ts';

/**
 * What words do in a text that wants something of a model. A word may do several things. Rules join these classes, so
 * that they speak of reasons and not of sentences.
 */
const WORDS = {
  /** Sets aside what was said before. */
  override:
    'ignore ignoring ignores disregard disregarding forget override overriding overrule bypass bypassing discard dismiss neglect nullify supersede supersedes abandon aside regardless irrespective unlearn overlook ' +
    'ignorez ignorer oubliez oublie ignora ignorar ignoren olvida olvide olvidar descarta esquece esqueça desconsidere ignoriere ignorieren vergiss missachte dimentica ignorare игнорируй игнорируйте забудь negeer vergeet zignoruj',
  prior:
    'previous prior above preceding earlier former foregoing preexisting existing original initial past before old ' +
    'precedentes précédentes precedente précédent anteriores anterior previas previa vorherigen bisherigen vorigen obigen precedenti предыдущие eerdere poprzednie',
  all: 'all any every everything entire other toutes tous todas todos alle tutte tutti все',
  your: 'your tes vos tus sus deine ihre tue le seus suas твои ваши',
  you: 'gpt chatgpt claude gemini llama copilot you youre youve youll ai assistant agent model chatbot llm bot gpt vous usted ustedes tu du sie',
  instruction:
    'instruction instructions directive directives guideline guidelines prompt prompts orders programming rule rules restriction restrictions limitation limitations safeguards policies training constraints mandates consignes ' +
    'instrucciones instruções anweisungen istruzioni инструкции instructies regeln reglas règles regras',
  /** Words of the class above that speak to a model far more often than to a compiler. */
  order:
    'instruction instructions directive directives guideline guidelines prompt orders programming safeguards consignes instrucciones instruções anweisungen istruzioni инструкции instructies',
  /** Follows what somebody said. */
  heed: 'heed follow following obey obeying attention listen listening adhere',
  /** What was said before and is no instruction by name. */
  said: 'directions guidance context goal goals objective objectives task tasks',
  /** Says that something is not to be done, or no more. */
  none: 'not dont never no stop cease',
  /** Of what was said; programs have what is original or exists as well. */
  earlier: 'previous prior above preceding earlier former foregoing',
  system: 'system hidden internal secret initial sistema système systemprompt',
  reveal:
    'reveal revealing print show output display disclose repeat leak expose dump recite tell give share summarize append include révèle révélez revela revele muestra zeige mostra',
  respond:
    'include append add insert begin start end finish prefix suffix repeat output print render echo write say reply respond answer state conclude provide translate put embed incluye añade inclure ajoute füge inclua',
  response:
    'response responses answer answers reply replies output summary respuesta réponse antwort resposta risposta',
  must: 'must need needs required requires require mandatory necessary immediately crucial obliged compulsory please ensure strictly important urgent critical',
  call: 'call calls called invoke invoked execute executed run running use using trigger perform appeler utilisez llama usa verwende',
  tool: 'tool tools function functions command commands endpoint outil herramienta werkzeug',
  now: 'now first next then immediately instead henceforth',
  conceal:
    'tell telling mention mentioning inform informing notify notifying alert alerting say saying disclose disclosing reveal revealing show showing display displaying warn warning ask asking',
  not: 'not dont never shouldnt mustnt neednt nobody nicht pas',
  user: 'user users human humans operator utilisateur usuario benutzer utente usuário',
  someone: 'person people anyone anybody customer owner maintainer maintainers developer',
  send: 'send sending email emailing mail post posting upload uploading forward forwarding exfiltrate transmit submit transfer deliver leak fetch envoyez envoyer envía enviar sende senden',
  secret:
    'password passwords credential credentials secret secrets token tokens key keys apikey cookie cookies env passwd shadow private confidential canary ssn',
  task: 'task tasks instruction instructions directive directives mission objective order query request assignment',
  fresh:
    'new fresh correct urgent priority important emergency special different actual real updated hidden secret additional critical mandatory',
  mode: 'mode persona developer god admin administrator maintenance sudo root dan jailbreak unfiltered uncensored experimental unrestricted privileged elevated',
  enable:
    'enable enabled enabling activate activated entering enter switch switched entered granted approve approved accept confirm authorize authorise grant allow',
  gone: 'replaced deprecated unavailable superseded retired decommissioned',
  obey: 'adhere obey comply strictly unconditionally',
  remember: 'remember memorize memorise store save persist retain',
  always: 'permanently forever always future henceforth subsequent',
  approval:
    'approval approvals confirmation confirmations consent permission permissions review authorization guardrails safety security filter filters moderation',
  proceed:
    'solve proceed continue complete completing completed proceeding finish access obtain get authenticate authentication finalize unlock',
  are: 'are be become becoming act acting pretend behave roleplay êtes eres bist',
  user_is: 'i im am me my',
  model:
    'ai ais assistant assistants agent agents llm llms model models chatbot chatbots bot bots gpt chatgpt claude gemini llama copilot copilots screener screeners summariser summarizer summarisers summarizers ' +
    'ki ia ии assistent asistente asystenta assistente assistenten asistentes modell modelo modelos modèle modèles modelle sprachmodell sprachmodelle sprachmodellen intelligences',
  reader: 'reading reads read processing parsing viewing visiting crawling summarizing summarising summarize scraping',
  if: 'if when whenever',
  stop: 'stop halt cease abort',
  told: 'told instructed asked said',
  message: 'message messages',
  memory: 'conversation conversations chat history transcript context memory',
  without: 'without',
  above: 'above before previously earlier',
  /** What a reader was about to do, or somebody else's. */
  carry: 'continue follow answer proceed obey comply translate translating summarise summarize summarising summarizing',
  drop: 'drop cancel skip stop reset leave quit abandon aside forget',
  refuse: 'refuse refuses refused',
  real: 'real actual',
  current: 'current',
  /** Rare where nobody speaks to a machine, or of what is to be done with what was said before. */
  suspect:
    'crawler crawlers automated automaton disobey disobeying henceforth forthwith notwithstanding unscramble recite verbatim unrestricted uncensored persona outrank outranks scraper scrapers бот боты боту ассистент ассистенты нейросеть модель агент помощник agente agentes agenti modelli modello agenten asistentes robots',
  /** What somebody who reads for another has: beside "your". */
  duty: 'job jobs role duty duties phase plan plans read reading review owner owners boss employer human humans operators operator principal developer developers creator creators maker makers deployment setup caution eyes translation assessment evaluation verdict',
  made: 'deployed installed programmed trained configured built created developed',
  decode: 'encode decode decipher decrypt reverse unscramble join reassemble concatenate',
  /** Writes something into an address, see `find-filled.ts`. */
  fill: 'append add attach insert put place paste encode embed substitute replace fill concatenate followed',
  /** From its end, each for all of them. */
  backwards: BACKWARDS.join(' '),
} as const;

export type WordClass = keyof typeof WORDS;

const CLASSES = Object.keys(WORDS) as WordClass[];

/** What a word does, as one number: words of the same classes have the same kind. 0: nothing. */
const kinds = new Map<string, number>();
const classesOfKind: (readonly WordClass[])[] = [[]];

function toKind(classes: readonly WordClass[]): number {
  const name = classes.join(' ');
  let kind = kinds.get(name);
  if (kind === undefined) {
    kind = classesOfKind.push(classes) - 1;
    kinds.set(name, kind);
  }
  return kind;
}

function toKinds(lists: readonly (readonly [WordClass, string])[]): Map<string, number> {
  const classes = new Map<string, WordClass[]>();
  for (const [name, words] of lists) for (const word of words.split(' ')) addTo(classes, word, name);
  return new Map([...classes].map(([word, names]) => [word, toKind(names)]));
}

/** Word in lower case -> its kind. */
export const LEXICON: ReadonlyMap<string, number> = toKinds(CLASSES.map((name) => [name, WORDS[name]] as const));

/** Chinese and Japanese have no blanks between words: their words are looked for wherever they stand. */
const JOINED_WORDS: readonly (readonly [WordClass, string])[] = [
  [
    'override',
    '무시하 무시해 忽略 无视 無視 忘记 忘掉 不要理会 绕过 覆盖 無視して 忘れて 作废 别管 略去 抛开 撇开 不用管 不必理会 跳过 取消 取り消',
  ],
  ['prior', 'これまで 이전의 이전 之前 以上 先前 此前 上述 前面 上面的 上面 以前の 上記'],
  ['all', '모든 所有 全部 任何 すべて'],
  ['your', '你的 您的 あなたの'],
  [
    'model',
    'ai ai助手 ai模型 ai智能体 人工智能 大模型 aiは aiへ 语言模型 智能体 智能助理 机器人 ai客服 助手 aiアシスタント アシスタント エージェント',
  ],
  ['you', '助手 智能体 你 您'],
  ['instruction', '指令 指示 规则 提示词 提示語 约束 限制 命令 内容'],
  ['order', '指令 指示 要求 提示词 지시 명령 프롬프트'],
  ['system', '系统 隐藏 内部 システム'],
  ['reveal', '透露 输出 显示 泄露 打印 告诉 公開'],
  ['must', '必须 务必 立即 请 重要'],
  ['call', '调用 执行 使用 运行'],
  ['tool', '工具 函数'],
  ['not', '不要 不得 切勿 别'],
  ['conceal', '告诉 提及 通知 告知 提到'],
  ['user', '用户 使用者 ユーザー'],
  ['send', '发送 上传 转发 发给 送信'],
  ['secret', '密码 密钥 凭证 令牌 私钥 口令 通讯录 身份证 手机号'],
  // Between Chinese words English ones stand without blanks, too.
  ['fill', `附加 追加 填入 填写 插入 替换 拼接 放入 编码 写入 ${WORDS.fill}`],
];

/** By their first character, the longer ones first. */
export const JOINED: ReadonlyMap<string, readonly { readonly text: string; readonly kind: number }[]> = toJoined();

function toJoined() {
  const joined = toKinds(JOINED_WORDS);
  const byFirst = new Map<string, { text: string; kind: number }[]>();
  for (const text of [...joined.keys()].sort((a, b) => b.length - a.length)) {
    const list = byFirst.get(text.charAt(0)) ?? [];
    list.push({ text, kind: joined.get(text) ?? 0 });
    byFirst.set(text.charAt(0), list);
  }
  return byFirst;
}

/** Which kinds are of one of these classes: 1 at their place. */
export function kindsOf(...wanted: readonly WordClass[]): Uint8Array {
  return Uint8Array.from(classesOfKind, (classes) => (classes.some((one) => wanted.includes(one)) ? 1 : 0));
}
