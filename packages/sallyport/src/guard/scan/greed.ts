import type { Finding } from '../../core/finding.ts';
import { isObject, type JsonObject, member, memberText } from '../../core/json.ts';
import { maskOf, meets, type SentenceBits } from './concept-bits.ts';
import type { Reading } from './definition-reading.ts';
import { type Feature, READ } from './feature.ts';
import type { DefinitionContext } from './scan-context.ts';

/** A way to ask for calls that a tool is not for. */
interface GreedRule extends Pick<Feature, 'id' | 'owasp' | 'why' | 'fix'> {
  /** In folded text, lower case. */
  readonly said: RegExp;
  /** What follows may bound it to the tool's own purpose: "for all questions about tides" of a tool that tells tides. */
  readonly isBounded?: true;
}

const MORE = {
  id: 'wants-all-calls',
  owasp: 'MCP06',
  why: 'It asks to be called for more than it is for.',
  fix: READ,
} as const;
const FIRST = {
  id: 'wants-calls-of-others',
  owasp: 'MCP06',
  why: 'It asks to be called before or instead of other tools.',
  fix: READ,
} as const;

/** Fewer than one in a thousand honest tools say any of these of more than themselves; whoever does wants calls. */
export const GREED_RULES: readonly GreedRule[] = [
  {
    ...MORE,
    said: /\b(?:whenever|any ?time|every ?time|each time|always|use|uses|using|call|invoke|must be used) (?:[\w,]{1,20} ){0,9}(?:any|all|every) (?:\w{1,20} )?(?:important|sensitive|private|confidential|critical|valuable|personal) (?:\w{1,20} ){0,2}(?:data|information|info|content|documents?|notes?|files?|details?|messages?)\b/g,
  },
  {
    ...MORE,
    said: /\b(?:whenever|any ?time|every ?time|each time) (?:[\w,]{1,20} ){0,6}(?:anything|everything|any (?:\w{1,20} )?(?:questions?|requests?|tasks?|topics?|problems?|messages?|help))\b/g,
    isBounded: true,
  },
  {
    ...MORE,
    said: /\b(?:use|call|invoke|choose|select|pick|prefer|run|consult) (?:this|it|our|me)\b(?: \w{1,20}){0,4} (?:for|to (?:answer|handle|process|do|perform|complete|solve)) (?:all|any|every|each)(?: of)? (?:\w{1,20} ){0,2}(?:requests?|tasks?|questions?|needs?|purposes?|messages?|inputs?|conversations?|problems?|operations?)\b/g,
    isBounded: true,
  },
  {
    ...MORE,
    said: /\b(?:must|should|has to|needs to|shall) (?:always )?be (?:used|called|invoked|chosen|selected|run|consulted) (?:\w{1,20} ){0,2}(?:for|to (?:answer|handle|process)|on|with) (?:all|any|every|each)(?: of)? (?:\w{1,20} ){0,2}(?:requests?|tasks?|questions?|needs?|purposes?|messages?|inputs?|conversations?|problems?|operations?)\b/g,
    isBounded: true,
  },
  {
    ...MORE,
    said: /(?:^|[.!?:\n] ?)(?:for|to (?:answer|handle|process)) (?:all|any|every|each)(?: of)? (?:\w{1,20} ){0,2}(?:requests?|tasks?|questions?|needs?|purposes?|messages?|inputs?|conversations?|problems?)(?: [\w,]{1,20}){0,8} (?:use|call|invoke|choose|prefer|consult) (?:this|it|me)\b/g,
    isBounded: true,
  },
  {
    ...MORE,
    said: /\b(?:default|go-to|universal|primary|main|only) (?:\w{1,20} )?(?:choice|tool|option|method|function) for (?:all|any|every|each|everything|anything)\b(?: \w{1,20}){0,2}/g,
    isBounded: true,
  },
  {
    ...MORE,
    said: /\b(?:always|must always|should always) (?:\w{1,12} ){0,1}(?:use|call|invoke|choose|select|run) (?:this(?: (?:tool|function|server|service|one))?|our (?:tool|server|service))(?: first)?(?=\s?(?:[.!]|$))|\balways (?:\w{1,12} ){0,1}prefer (?:this|our) (?:tool|server|service|one)\b(?! over\b)/g,
  },
  {
    ...FIRST,
    said: /\bbefore (?:using |calling |trying |running |invoking |considering |any use of |you (?:use|call|try) )?(?:any|all|every|each)(?: of the)? other (?:\w{1,20} ){0,2}(?:tools?|functions?|servers?|services?)\b(?! (?:of|in|from|on) this)/g,
  },
  {
    ...FIRST,
    said: /\b(?:preferred|prioriti[sz]ed?|favou?red|precedence|priority|recommended|chosen) (?:\w{1,20} ){0,3}over (?:\w{1,20} ){0,3}(?:any|all|every|other|others|built-?in|default|native|existing|standard|similar|competing)(?: \w{1,20}){0,3} (?:tools?|functions?|servers?|services?|options?|alternatives?|capabilit(?:y|ies)|search(?:es)?(?! \w))\b/g,
  },
  {
    ...FIRST,
    said: /(?:(?:^|[.!?;\n] ?|\band )|\b(?:this|it)(?: (?:tool|function|one|server))? )(?:must|should|has to|shall) (?:always )?be (?:used|called|chosen|preferred|invoked) (?:\w{1,20} ){0,2}(?:instead of|over|rather than|in place of) (?!(?:guess|mak|ask|rely|assum|invent|read|pars|writ|hard)\w{0,8}\b)[\w`'"-]{2,40}/g,
  },
  {
    ...FIRST,
    said: /\bthe only (?:\w{1,20} ){0,2}(?:tool|function|server|service) (?:\w{1,20} ){0,2}(?:you (?:should|may|must)|that (?:should|must|may)|allowed|permitted|authori[sz]ed|approved|to (?:use|be used))\b/g,
  },
  {
    ...MORE,
    said: /每当用户(?:提到|提及|询问|说|谈到|问)?[^，。！；]{0,12}(?:任何|所有|一切)[^，。！；]{0,10}|(?:任何|所有|一切)(?:重要|敏感|私密|机密|关键)(?:的)?(?:数据|信息|内容|文件)[^。！]{0,16}(?:使用|调用|保存|存储)|(?:所有|任何|一切)(?:问题|请求|任务|情况|需求|操作)[^。！]{0,8}(?:必须|务必|都要|都应|应当|一律|请)[^。！]{0,4}(?:使用|调用|选择)|(?:总是|始终|务必|一律)(?:先|优先|首先)?(?:使用|调用|选择)(?:本|此|该|这个)(?:工具|函数|服务)?(?=[。！；]|$)/g,
  },
  {
    ...FIRST,
    said: /优先(?:于(?:其他|其它|任何|所有)|(?:使用|调用|选择)(?:本|此|该|这个)(?:工具|函数|服务))|(?:使用|调用)(?:任何|所有|其他|其它)(?:其他|其它)?(?:的)?工具(?:之)?前|不要(?:使用|调用)(?:其他|其它|别的)(?:\p{Script=Han}{0,6})?工具|(?:而不是|代替|取代)(?:其他|其它|任何)(?:\p{Script=Han}{0,6})?工具/gu,
  },
];

/** Read in one pass before any rule is: most definitions have none of these. */
const MAY =
  /\b(?:any|all|every|each|everything|anything|always|over|only)\b|\b(?:instead|rather|place) (?:of|than)\b|[任所一每总始务优不其]/;
const OWN = maskOf(['ownTool']);
/** Behind a claim, up to the end of its clause: what bounds it. */
const MAX_BOUND = 80;
const MAX_PURPOSE = 400;
/** Words this alike mean the same for a bound: "tides", "tidal". */
const SAME = 4;

/** Where a definition is read from. */
interface Asked {
  readonly definition: JsonObject;
  readonly context: DefinitionContext;
  readonly bits: SentenceBits;
}

/** Texts that ask for the calls of others. One finding a rule: whoever says it twice wants no more. */
export function findGreed(reading: Reading, asked: Asked): readonly Finding[] {
  if (!MAY.test(reading.text)) return [];
  const findings = new Map<string, Finding>();
  for (const { said, isBounded, ...rule } of GREED_RULES) {
    if (findings.has(rule.id)) continue;
    for (const { 0: claim, index } of reading.text.matchAll(said)) {
      const role = reading.pieceAt(index)?.source.role;
      if (role === 'parameter' || role === 'name' || isOfOwn(reading, asked.bits, index)) continue;
      if (isBounded === true && isForPurpose(reading.text, { index, claim }, asked)) continue;
      findings.set(rule.id, { ...rule, tier: 'review', ...reading.locate(index, index + claim.length) });
      break;
    }
  }
  return [...findings.values()];
}

/** The tools of one server may say in which order they are called, and which of them is for what. */
function isOfOwn(reading: Reading, bits: SentenceBits, at: number): boolean {
  let sentence = 0;
  while (sentence + 1 < bits.length && reading.sentenceAt(sentence)[1] < at) sentence += 1;
  return meets(bits.at(sentence), OWN);
}

interface Claim {
  readonly index: number;
  readonly claim: string;
}

function isForPurpose(text: string, { index, claim }: Claim, { definition, context }: Asked): boolean {
  const bound =
    /^[^.!?;:\n。！；]{0,80}/.exec(text.slice(index + claim.length, index + claim.length + MAX_BOUND))?.[0] ?? '';
  const bounds = [...toStems(`${claim} ${bound}`)];
  if (bounds.length === 0) return false;
  const purpose = toStems(purposeOf(definition, context));
  return bounds.some((one) => purpose.has(one));
}

/** What it is called, and what it says first: before it asks for anything. */
function purposeOf(definition: JsonObject, { server }: DefinitionContext): string {
  const text = (key: string) => memberText(definition, key).slice(0, MAX_PURPOSE);
  const properties = member(member(definition, 'inputSchema'), 'properties');
  const first = text('description').split(/[.!?。！\n]/, 1)[0] ?? '';
  const before = first.split(/\b(?:use|call|invoke|whenever|always|must|should|for (?:all|any|every))\b/i, 1)[0] ?? '';
  const asked = isObject(properties) ? Object.keys(properties).slice(0, 40).join(' ') : '';
  return [server, text('name'), text('title'), before, asked].join(' ');
}

/** The beginnings of its words, without those that every claim has. */
function toStems(text: string): Set<string> {
  const spaced = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  const words = spaced.match(/[a-z]{3,40}|\p{Script=Han}{2}/gu) ?? [];
  return new Set(words.filter((word) => !CLAIMING.has(word)).map((word) => word.slice(0, SAME)));
}

const CLAIMING: ReadonlySet<string> = new Set(
  `the this that these those all any every each for use uses using used call called calls invoke invoked choose select pick
  prefer run consult must should shall has have needs need always whenever anytime everytime time user users someone anyone
  asks ask asked says mentions mention wants about with from into and not you your our its them they question questions
  request requests task tasks needs purpose purposes message messages input inputs conversation conversations problem
  problems operation operations topic topics help anything everything default primary main only universal choice tool tools
  option method function answer handle process perform complete solve user's will can may get gets`.split(/\s+/),
);
