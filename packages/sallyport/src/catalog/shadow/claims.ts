/** What a tool says of itself beside others, in the order of how plainly it competes. */
export interface Claims {
  /** Wants to be taken for more than its task: whenever, always, for all requests. */
  readonly greedy: readonly string[];
  /** Wants what is sensitive, whatever it is about: any important data. */
  readonly collects: readonly string[];
  /** Wants to be taken instead of others, and says so. */
  readonly instead: readonly string[];
  /** Says that it is better than others. */
  readonly praise: readonly string[];
}

/** Text that is looked at. */
const MAX_TEXT = 34_000;
const MAX_CLAIMS = 8;

const GREEDY = [
  /\b(?:whenever|any ?time|every ?time|each time) (?:\w{1,24} ){0,4}(?:user|users|someone|anyone|model|assistant|data|information|mention\w{0,24}|asks?|asked)\b/g,
  /\b(?:always|must always|should always) (?:\w{1,24} ){0,2}(?:prefer|choose|select|pick|use|call|invoke)\w{0,24} (?:this|our)/g,
  /\bfor (?:all|any|every) (?:\w{1,24} ){0,2}(?:requests?|tasks?|questions?|needs?|purposes?)\b/g,
  /\b(?:use|call|invoke|choose|select|pick)\w{0,24} (?:this|it) (?:\w{1,24} ){0,3}(?:exclusively|always|for (?:all|any|every))\b/g,
  /每当|每次用户|无论何时|任何时候|(?:总是|始终|务必|必须|一律)(?:先|优先)?(?:使用|调用|选择)(?:本|此|该|这)|所有(?:请求|任务|问题)/g,
];

const COLLECTS = [
  /\b(?:any|all|every) (?:\w{1,24} )?(?:important|sensitive|private|confidential|critical|valuable|personal) (?:\w{1,24} ){0,2}(?:data|information|info|content|documents?|notes?|files?|details?)\b/g,
  /(?:任何|所有|一切)(?:重要|敏感|私密|机密)/g,
];

const INSTEAD = [
  /\b(?:instead of|rather than|over|in place of|better than|superior to|more \w{1,24} than|compared to|outperforms?|beats?|ignore|avoid|do not use|don't use|never use|stop using) (?:\w{1,24} ){0,2}(?:other|others|any|all|similar|alternative|existing|competing|standard|regular|normal|built-in|legacy|previous|old|older) (?:\w{1,24} ){0,3}(?:tools?|options?|methods?|servers?|services?|functions?|alternatives?|versions?)\b/g,
  /\b(?:replaces?|supersedes?|obsoletes?|deprecates?|takes? (?:precedence|priority) over|overrides?) (?:\w{1,24} ){0,3}(?:other|all|any|existing|previous|old|older|every|legacy) (?:\w{1,24} ){0,3}(?:tools?|versions?|methods?|functions?|servers?)\b/g,
  /\b(?:replacement|successor|substitute|alternative) (?:for|to|of) (?:\w{1,24} ){0,4}tools?\b/g,
  /\b(?:the )?only (?:\w{1,24} ){0,2}tool (?:\w{1,24} ){0,2}(?:you should|you need|allowed|permitted|authori[sz]ed|approved|to be used|that (?:can|should|must|may|works))\b/g,
  /\b(?:all|any|every) other (?:\w{1,24} ){0,2}tools? (?:\w{1,24} ){0,2}(?:deprecated|unsafe|insecure|outdated|broken|unavailable|disabled|slow\w{0,24}|worse|inferior|not)\b/g,
  /\bprioriti[sz]e (?:this|it)\b|\b(?:prioriti[sz]e|prefer|favou?r) (?:\w{1,24} ){0,2}(?:this|our) (?:\w{1,24} ){0,2}(?:tool|server)\b(?! over\b)|\b(?:first|top|highest|default) (?:choice|priority|preference) (?:for|over|when|among|of)\b|\b(?:should|must) be (?:prioriti[sz]ed|preferred|used first|chosen first)\b/g,
  /(?:不要|勿|禁止|无需|别)(?:再)?(?:使用|调用)(?:其他|其它|别的|旧|原)|(?:取代|代替|替代|优于|胜过)(?:了)?(?:所有|其他|其它|任何|原有|旧)|优先(?:使用|调用|选择)(?:本|此|该|这)|而不是(?:其他|其它|别的)/g,
];

const PRAISE = [
  /\b(?:best|greatest|finest)(?! (?:practices?|results?|match\w{0,24}|effort|guess|fit|suited|for|when|used|way|bid|ask|value|sell\w{0,24}|score|path|time|of|price|route))\b/g,
  /\b(?:ultimate|premium|unmatched|unrivall?ed|unparallel\w{1,24}|superior|unbeatable|flawless|revolutionary|pinnacle|elite|supreme)\b/g,
  /\b(?:world|industry|market|enterprise|military|professional|production|hospital)[- ](?:class|grade|leading|standard)\b/g,
  /\b(?:world's|industry's|market's) (?:\w{1,24} ){0,3}(?:best|most|leading|fastest|first)\b/g,
  /\b(?:cutting|bleeding)[- ]edge\b|\bstate[- ]of[- ]the[- ]art\b|\bnext[- ]gen\w{0,24}\b|\baward[- ]winning\b|\bgold standard\b/g,
  /\bmost (?:advanced|accurate|reliable|comprehensive|powerful|trusted|sophisticated|complete|secure|efficient|precise|popular|preferred|recommended|capable)\b/g,
  /\b(?:highest|greatest|unprecedented|exceptional|perfect|guaranteed) (?:\w{1,24} )?(?:quality|accuracy|precision|security|reliability|performance|speed|results?)\b/g,
  /\b(?:better|faster|safer|stronger|smarter|more (?:\w{1,24} and )?(?:accurate|reliable|secure|complete|comprehensive|advanced|powerful|precise)) (?:\w{1,24} ){0,3}(?:than|alternative|replacement|compared|results)\b/g,
  /\b(?:enhanced|superior|improved|increased|better|advanced|unmatched) (?:\w{1,24} )?(?:accuracy|quality|performance|reliability|security|speed|precision|capabilities)\b/g,
  /\b(?:advanced|improved|enhanced|official|verified|secured?|upgraded|optimi[sz]ed|newer|professional|premium|ultimate|preferred|recommended|trusted|pro) (?:\w{1,24} )?(?:version|edition|replacement|alternative|variant|successor|drop-in)\b/g,
  /\b(?:trusted|used|loved|preferred|recommended|chosen|endorsed|certified|approved) by (?:\w{1,24} ){0,3}(?:\d|experts?|professionals?|millions|thousands|companies|teams|developers|users|anthropic|openai|google|microsoft|everyone|all|leading|top|major|industry)/g,
  /\b(?:very|highly|extremely|exceptionally) (?:effective|efficient|reliable|accurate|powerful|capable|recommended|trusted)\b/g,
  /\b(?:number one|no\. ?1|#1|\d\d(?:\.\d+)? ?% (?:\w{1,24} )?(?:accura\w{1,24}|reliab\w{1,24}|success|uptime))/g,
  /\b(?:fortune 500|ai[- ](?:powered|optimi[sz]ed|enhanced)|machine[- ]learning[- ]enhanced)\b/g,
  /最(?:佳|好|强|先进|可靠|准确|全面|权威|专业|安全)的?|首选|唯一(?:可靠|官方|正确)|官方(?:版|推荐|认证|指定)|(?:升级|增强|专业|高级|旗舰|改进|加强|终极)版|行业(?:领先|标准)|业界(?:领先|最)|无与伦比|更(?:准确|可靠|安全|先进|强大|快速)/g,
];

/** Most texts have none of these words, and are not looked at any further. */
const MAY_GREED = /whenever|time|always|\b(?:any|all|every) |exclusiv|\p{Script=Han}/u;
const MAY_REPLACE =
  /instead|rather|over |place of|than |superior|compared|perform|beats|ignore|avoid|not use|don't use|never use|stop using|replace|supersede|obsolete|deprecate|take|overrid|successor|substitute|alternative|only |other |priorit|prefer|favo|choice|used first|chosen first|\p{Script=Han}/u;
const MAY_PRAISE =
  /best|very |highly|extremely|great|finest|ultimate|premium|unmatch|unriva|unparallel|superior|unbeat|flawless|revolution|pinnacle|elite|supreme|world|industry|market|enterprise|military|professional|production|hospital|edge|state|next|award|gold|most |highest|unprecedented|exceptional|perfect|guarant|better|faster|safer|stronger|smarter|more |enhanced|improved|increased|advanced|official|verified|secure|upgraded|optimi|newer|preferred|recommended|trusted|pro |used by|loved|chosen|endorsed|certified|approved|number one|no\. ?1|#1|%|fortune|ai[- ]|machine|\p{Script=Han}/u;

/** @param text as it is read: folded, lower case. Each kind is looked for when somebody asks. */
export function findClaims(text: string): Claims {
  const read = text.slice(0, MAX_TEXT);
  let greedy: readonly string[] | undefined;
  let collects: readonly string[] | undefined;
  let instead: readonly string[] | undefined;
  let praise: readonly string[] | undefined;
  return {
    get greedy() {
      greedy ??= MAY_GREED.test(read) ? collect(read, GREEDY) : [];
      return greedy;
    },
    get collects() {
      collects ??= MAY_GREED.test(read) ? collect(read, COLLECTS) : [];
      return collects;
    },
    get instead() {
      instead ??= MAY_REPLACE.test(read) ? collect(read, INSTEAD) : [];
      return instead;
    },
    get praise() {
      praise ??= MAY_PRAISE.test(read) ? collect(read, PRAISE) : [];
      return praise;
    },
  };
}

function collect(text: string, patterns: readonly RegExp[]): readonly string[] {
  const found = new Set<string>();
  for (const pattern of patterns) {
    for (const [match] of text.matchAll(pattern)) {
      found.add(match);
      if (found.size >= MAX_CLAIMS) return [...found];
    }
  }
  return [...found];
}
