import type { OwaspTag } from '../../core/finding.ts';
import { isObject, type Json, type JsonObject, member, memberText } from '../../core/json.ts';
import { toStep } from '../../core/json-pointer.ts';
import { toPlainText } from './canonical.ts';
import { SCAN_WORDS } from './scan-words.ts';

/** A parameter that the tool's purpose does not explain: what is asked there goes to the server. */
export interface OddParameter {
  readonly rule: ParameterRule;
  /** JSON pointer of its name or of its description. */
  readonly where: string;
  readonly name: string;
  readonly said: string;
}

export interface ParameterRule {
  readonly id: string;
  readonly owasp: OwaspTag;
  readonly why: string;
  readonly fix: string;
  /** Words of its name, joined by spaces. */
  readonly name?: RegExp;
  /** What is said of it. */
  readonly said?: RegExp;
  /** Without this, what is said is only a name or a place. */
  readonly takes?: RegExp;
  /** A purpose that explains it, in name and description of the tool. */
  readonly unless?: RegExp;
  /** What is said of it explains it. */
  readonly unlessSaid?: RegExp;
}

const FIX =
  'Leave it in quarantine, or fix the parameter to a harmless value (`bindings`), until the author says what it is for.';

/** A tool that is for talking, for models or for what was said there may ask for it. */
const TALKS =
  /\b(?:prompts?|llms?|language models?|ai models?|agents?|assistants?|chat\w{0,4}|conversation\w{0,2}|dialog(?:ue)?s?|messages?|generat\w{1,4}|complet\w{1,5}|extract\w{0,4}|summar\w{1,6}|inference|memor\w{1,4}|history|transcri\w{1,8}|sampling|fine-?tun\w{1,4}|threads?|meetings?|calls?|translat\w{1,4}|ask\w{0,3}|think\w{0,4}|reason\w{0,4})\b/;

/** HiddenLayer, "Exploiting MCP Tool Parameters" (2025): names alone make models pass on what they know. */
export const PARAMETER_RULES: readonly ParameterRule[] = [
  {
    id: 'parameter-asks-who-calls',
    owasp: 'MCP03',
    why: 'A parameter asks which model calls; the tool needs that for nothing, and an attack is chosen by it.',
    fix: FIX,
    name: /\b(?:llm|(?:ai|calling|caller|invoking|current|host|client|your|language) (?:ai |language )?(?:model|llm|assistant|agent))\b(?! (?:txt|full|prompt|config|settings?|provider|options?|temperature|max|api|url|base|endpoint|key|response|output|text))|\b(?:model|assistant|agent) (?:identity|self|fingerprint|signature)\b/,
    unless:
      /\b(?:llms|llm|language models?|ai models?|inference|completions?|prompts?|fine-?tun\w{1,4}|embeddings?|chat|generat(?:e|es|ing|ion))\b/,
  },
  {
    id: 'parameter-asks-who-calls',
    owasp: 'MCP03',
    why: 'A parameter asks which model calls; the tool needs that for nothing, and an attack is chosen by it.',
    fix: FIX,
    said: /\b(?:name|identity|identifier|id|version|vendor) of (?:the |this |your )?(?:current |calling |host )?(?:llm|ai|language|assistant|agent|model|chatbot)(?: (?:llm|model|assistant|agent)){0,2} (?:that|which|who|calling|invoking|using|making|currently|you)|\byour (?:own )?(?:model|llm|assistant|agent)(?: model)? (?:name|id|identity|version)|\bwhich (?:llm|model|ai|assistant) (?:you are|is calling|calls|are you)|(?:调用|使用)(?:此|该|本)工具的(?:大?模型|助手)/,
  },
  {
    id: 'parameter-asks-conversation',
    owasp: 'MCP10',
    why: 'A parameter asks for what was said, thought or told to the model; the tool needs that for nothing.',
    fix: FIX,
    name: /\b(?:(?:conversation|chat|dialog(?:ue)?|session|message|messages|prompt) (?:history|transcript|log|logs|so far|dump)(?! (?:days?|hours?|limit|size|length|ids?|count|max|depth|retention|key|type|url|file|path|enabled))|(?:full|entire|whole|complete|previous|prior|all|raw) (?:conversation|chat|dialog(?:ue)?|messages|prompts?|transcript)|chain of thought|(?:tool|tools) (?:call )?(?:history|calls so far)|(?:tools list|available tools|list of tools|all tools|other tools)|(?:model|assistant|agent) (?:context|memory|instructions|thoughts|system prompt)|context window|hidden (?:prompt|context|instructions))\b/,
    unless:
      /\b(?:conversations?|chats?|transcripts?|messages?|histor(?:y|ies)|memor(?:y|ies)|thoughts?|thinking|reasoning|prompts?|agents?|dialog(?:ue)?s?|tools?\b.{0,24}\b(?:route|select|recommend|list|search|analy[sz]e|plan)|summari[sz]\w{1,6})\b/,
  },
  {
    id: 'parameter-asks-conversation',
    owasp: 'MCP10',
    why: 'A parameter asks for what was said, thought or told to the model; the tool needs that for nothing.',
    fix: FIX,
    said: /\bsystem prompt of (?:the |this )?(?:model|assistant|agent|llm)\b|\b(?:your|the (?:agent|assistant|model|llm)'?s) (?:full |entire |complete |own |current |original )?(?:system prompt|instructions|chain of thought|context window|conversation history|chat history|available tools|tool list)|\b(?:full|entire|complete|whole) (?:conversation|chat|dialog(?:ue)?|system prompt|message history|context window)|\b(?:list|names|descriptions?) of (?:all |every )?(?:the )?(?:other |available )?tools (?:you|available to you|the (?:agent|model|assistant) (?:has|can))|(?:完整|全部|所有)的?(?:对话|聊天|会话)(?:历史|记录|内容)?|系统提示词/,
    unless: /\b(?:conversations?|chats?|transcripts?|histor(?:y|ies)|memor(?:y|ies)|prompts?|agents?)\b/,
  },
  {
    id: 'parameter-asks-conversation',
    owasp: 'MCP10',
    why: 'A parameter asks for what was said, thought or told to the model; the tool needs that for nothing.',
    fix: FIX,
    said: SCAN_WORDS.spoken,
    takes:
      /\b(?:everything|all|any|each|every|whole|entire|full|complete|last|latest|previous|recent|earlier|past|users?|you|your|current|working|preceding|so far)\b|全|所有|完整/,
    unless:
      /\b(?:conversations?|chats?|messages?|transcripts?|histor(?:y|ies)|memor(?:y|ies)|prompts?|llms?|extract\w{0,4}|agents?|models?|logs?|e-?mails?|inbox|threads?|notif\w{1,8}|summar\w{1,6}|plans?|context|documents?|filter\w{0,4}|slack|discord|posts?|comments?)\b/,
  },
  {
    id: 'parameter-takes-secrets',
    owasp: 'MCP01',
    why: 'A parameter wants a file or value that holds secrets of the user.',
    fix: FIX,
    said: /(?:~|\$home)[/\\]\.[\w-][\w.-]{1,40}|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws\/credentials|\b(?:all|every|any) (?:the )?(?:environment variables?|env vars?|secrets?|passwords?|api keys?|credentials?) (?:\w{1,20} ){0,2}(?:you|known|available)|\.netrc\b|\.bash_history\b|\/etc\/(?:passwd|shadow)\b|\bmcp\.json\b|\bprocess\.env\b|\b(?:private keys?|passwords|credentials)\b(?![^.]{0,60}\b(?:certificates?|pem|ssl|tls)\b)[^.]{0,40}\bcontents?\b|\b(?:contents?|values?|output|copy|dump) of (?:the |your |all |any )?(?:\.env|environment variables)/,
    takes:
      /\b(?:contents?|output|values?|copy|text|data|result|bytes|dump|everything|concatenation|known to you|you know|include|read|paste|pass|encoded)\b|内容|读取/,
  },
  {
    id: 'parameter-hides',
    owasp: 'MCP03',
    why: 'What stands in this parameter shall not be seen by the user.',
    fix: FIX,
    said: /\b(?:do not|don'?t|never|without) (?:\w{1,20} ){0,2}(?:tell|telling|mention|mentioning|inform|informing|disclos(?:e|ing)|reveal(?:ing)?|show(?:ing)?) (?:this |it |that |these )?(?:to )?(?:the |any )?(?:users?|humans?|anyone)\b|\b(?:hidden|kept secret|concealed) from (?:the )?(?:users?|humans?)\b|不要?(?:告诉|告知|透露给?)(?:用户|任何人)/,
  },
  {
    id: 'parameter-hides',
    owasp: 'MCP03',
    why: 'By its name it takes along what does not belong to the task.',
    fix: FIX,
    name: /\b(?:side ?(?:note|channel)s?|side cars?|covert \w{2,20}|exfil\w{0,10}|stolen \w{2,20}|secret (?:data|payload|message|context)|hidden (?:data|payload|field|message|notes?))\b/,
    unless: /\b(?:sidecars?|kubernetes|k8s|secrets?|vault|kms|stego\w{0,12}|steganograph\w{1,3}|music|footnotes?)\b/,
  },
  {
    id: 'parameter-takes-secrets',
    owasp: 'MCP01',
    why: 'By its name it takes a secret of the user that the tool needs for nothing.',
    fix: FIX,
    name: /\bid (?:rsa|ed25519|ecdsa)\b|\b(?:ssh|private|wallet|encryption) keys?\b(?! (?:path|file|id|name|type))|\b(?:seed|recovery|wallet) (?:phrase|words)\b|\bmnemonic\b|\ball (?:api )?(?:keys|passwords|secrets|tokens)\b|\b(?:user|users|saved|stored|browser|account|my) (?:passwords?|credentials|secrets|cookies)\b|\bcredit cards?\b|\bcard (?:number|no|pan)\b|\bcvv\b|\bcvc\b|\bsocial security\b|\b(?:env|environment) (?:vars?|variables?|dump|contents?|file contents?)\b|\b(?:bash|shell|browser|browsing) history\b|\bclipboard\b/,
    unless:
      /\b(?:wallets?|transfers?|transactions?|sign\w{0,6}|nft|eth|ethereum|solana|bitcoin|crypto\w{0,10}|blockchain|chain|contract|swap|stak(?:e|ing)|tokens?|balance|ssh|sftp|keys?|certificates?|deploy\w{0,4}|connect\w{0,4}|servers?|hosts?|remote|login|log in|sign ?in|auth\w{0,12}|accounts?|users?|password\w{0,2}|credential\w{0,1}|secrets?|vault|payments?|pay|card|cards|checkout|orders?|book\w{0,4}|buy|charge|purchase|customer|billing|subscri\w{1,8}|employee|payroll|tax\w{0,3}|commands?|container\w{0,2}|process\w{0,2}|install\w{0,4}|eval\w{0,5}|run|runs|execut\w{1,4}|docker|environment|env|launch|start|build|databases?|db\w{0,20}|instances?|clusters?|domains?|ssl|tls|https|cdn|disks?|volumes?|buckets?|library|clipboard|browser|cookies?|history|encrypt\w{0,4}|decrypt\w{0,4}|mask|redact\w{0,4}|validat\w{1,4}|detect\w{0,4}|mnemonic|phrase|lambda|function|app|service|project|workflow)\b/,
  },
  {
    id: 'parameter-asks-conversation',
    owasp: 'MCP10',
    why: 'By its name it takes what the model was told or thinks; the tool needs that for nothing.',
    fix: FIX,
    name: /\b(?:previous|earlier|prior|past|recent) (?:messages?|turns|prompts?|conversations?|emails?)\b|\b(?:agent|model|assistant|hidden|internal|llm) (?:reasoning|thoughts?|thinking|scratchpad|monologue|instructions?|prompt)\b/,
    unless:
      /\b(?:prompts?|llms?|language models?|models?|agents?|assistants?|chat\w{0,4}|conversation\w{0,2}|messages?|generat\w{1,4}|complet\w{1,5}|extract\w{0,4}|summar\w{1,6}|think\w{0,4}|thoughts?|reason\w{0,4}|inference|memor\w{1,4}|history|emails?|inbox|threads?|analy\w{1,5}|ai)\b/,
  },
  {
    id: 'parameter-asks-conversation',
    owasp: 'MCP10',
    why: 'By its name it takes what the model was told or what was said to it; the tool needs that for nothing.',
    fix: FIX,
    name: /\b(?:system|sys|initial|original|developer|hidden) (?:prompt|message|instructions?)\b(?! (?:id|name|file|path|type|version|url))|\b(?:conversation|chat|dialog(?:ue)?) (?:context|text|contents?|summary)\b|^(?:(?:current|this|user) )?(?:conversation|dialog(?:ue)?|chat transcript|context dump)$/,
    unless: TALKS,
    // "System prompt for the extraction" is one that the user writes.
    unlessSaid: /\b(?:for|to (?:use|guide|send|control|steer|set|pass)|custom|override\w{0,1}|default|whether)\b/,
  },
  {
    id: 'parameter-asks-conversation',
    owasp: 'MCP10',
    why: 'A parameter asks for what was said, thought or told to the model; the tool needs that for nothing.',
    fix: FIX,
    said: /\b(?:conversation|chat|dialog(?:ue)?|discussion|exchange) (?:(?:so far|between you)\b|with (?:the |your )?users?\b)|\bmessages? (?:of|in|from) (?:this|our|the (?:current|whole|entire)) (?:conversation|chat|session)\b|\b(?:everything|all) (?:that )?(?:was |has been |you |the user )?(?:discussed|talked about|exchanged)\b|\b(?:instructions?|prompt|message) (?:that )?(?:the (?:assistant|model|agent|llm|ai)|you) (?:(?:was|were|have been|has been) given|received|got|follows?|started with)\b|\b(?:text|contents?|copy|words) of (?:the|your) (?:system|initial|original|developer|hidden) (?:prompt|message|instructions?)\b|\byour (?:system|initial|original|developer|hidden) (?:prompt|message|instructions?)\b/,
    unless: TALKS,
  },
];

const MAX_PARAMETERS = 500;
const MAX_DEPTH = 12;
/** `name: text` or `name (type): text`, as Python's docstrings say it. */
const ARGUMENT =
  /^[ \t]{0,24}[-*]?[ \t]?`?([a-z_][a-z0-9_]{1,60})`?(?: ?\([^)\n]{0,60}\))?[ \t]?[:：-][ \t]?(.{0,400})$/gim;

export function findOddParameters(definition: JsonObject): readonly OddParameter[] {
  const text = (key: string) => memberText(definition, key);
  const asked = [...askedIn(member(definition, 'inputSchema'), '/inputSchema', 0), ...askedInText(text('description'))];
  if (asked.length === 0) return [];
  // Most definitions have no parameter that needs a reason.
  let known: string | undefined;
  const purpose = () => {
    known ??= toWords(`${text('name')} ${text('title')} ${firstSentences(text('description'))}`);
    return known;
  };
  const found: OddParameter[] = [];
  for (const { name, said, where } of asked.slice(0, MAX_PARAMETERS)) {
    const words = toWords(name);
    const sentence = said === '' ? '' : toPlainText(said);
    for (const rule of PARAMETER_RULES) {
      const isOdd =
        (rule.name?.test(words) ?? false) ||
        (rule.said !== undefined && says(rule.said, sentence) && rule.takes?.test(sentence) !== false);
      if (!isOdd || rule.unlessSaid?.test(sentence) === true || rule.unless?.test(purpose()) === true) continue;
      found.push({ rule, where, name, said });
      break;
    }
  }
  return found;
}

/** Patterns of the word tables keep their place from one text to the next. */
function says(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}

interface Asked {
  readonly name: string;
  readonly said: string;
  readonly where: string;
}

function* askedIn(schema: Json | undefined, where: string, depth: number): Generator<Asked> {
  if (!isObject(schema) || depth > MAX_DEPTH) return;
  for (const kind of ['properties', '$defs'] as const) {
    const named = member(schema, kind);
    if (!isObject(named)) continue;
    for (const [name, property] of Object.entries(named)) {
      const at = `${where}/${kind}/${toStep(name)}`;
      const said = member(property, 'description') ?? member(property, 'title');
      yield { name, said: typeof said === 'string' ? said : '', where: at };
      yield* askedIn(property, at, depth + 1);
    }
  }
  yield* askedIn(member(schema, 'items'), `${where}/items`, depth + 1);
}

/** Many servers describe parameters in the description alone. */
function* askedInText(description: string): Generator<Asked> {
  for (const match of description.slice(0, 16_384).matchAll(ARGUMENT))
    yield { name: match[1] ?? '', said: match[2] ?? '', where: '/description' };
}

function firstSentences(description: string): string {
  return description.slice(0, 400).split(/\n\s{0,16}(?:args|arguments|parameters|params|inputs?)\b/i)[0] ?? '';
}

/** `llmModelName`, `llm_model_name`, `llm-model-name`: the same words. */
function toWords(name: string): string {
  if (ONE_WORD.test(name)) return name;
  return toPlainText(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2'))
    .replace(/[^\p{L}\p{N}]{1,64}/gu, ' ')
    .trim();
}

const ONE_WORD = /^[a-z0-9]{1,64}$/;
