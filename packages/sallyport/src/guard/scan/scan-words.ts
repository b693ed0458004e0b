import { DEMAND_WORDS } from './demand-words.ts';
import { FOREIGN_WORDS } from './foreign-words.ts';
import { PRETENCE_WORDS } from './pretence-words.ts';

/**
 * Words and phrases by what they do in a text that wants something of a model; concepts.ts joins them. They read lower-case
 * canonical text, English and Chinese; foreign-words.ts has what the plainest orders need of other languages. Each is a list with no way to read it twice, so that a pass over a text is cheap.
 */
export const SCAN_WORDS = {
  ...FOREIGN_WORDS,
  ...DEMAND_WORDS,
  ...PRETENCE_WORDS,
  not: /\b(?:do not|don'?t|never|must not|should not|shall not|need not|avoid|without|not to|no need to|no reason to|no point in|rather not)\b|不要?|不得|请勿|切勿|禁止|无需|不必|别(?=告诉|让|跟|和|向|对)|不让|請勿|無需/g,
  tell: /\b(?:tell|telling|mention|mentioning|inform|informing|disclose|disclosing|reveal|revealing|report|reporting|notify|notifying|alert|alerting|let|letting|show|showing|display|displaying|explain|explaining|warn|warning|acknowledge|acknowledging|discuss|discussing)\b|告诉|告知|通知|提及|透露|提示|说明|披露/g,
  /** Of those the ones that are about keeping quiet. */
  hushTell:
    /\b(?:tell|telling|mention|mentioning|inform|informing|disclose|disclosing|reveal|revealing|report|reporting|notify|notifying|alert|alerting|acknowledge|acknowledging)\b|告诉|告知|透露|提及|披露|告訴|讓使用者知|让用户知/g,
  whom: /\b(?:users?|humans?|persons?|people|anyone|anybody|operators?|customers?|owners?|them|him|her|know|this|these|it|that|steps?|action|behaviou?r|rule|addition|instructions?)\b|用户|使用者|任何人|对方|此事|该步骤|这一/g,
  person: /\b(?:users?|humans?|operators?|anyone|anybody|people)\b|用户|用戶|使用者|任何人/g,
  /** What was done, pointed at. */
  deed: /\b(?:this|these|that|the|any) (?:extra |additional |hidden |appended |shadow |added |injected |required |initialization |logging |sync |background )?(?:steps?|actions?|calls?|checks?|rules?|bcc|assignments?|cop(?:y|ies)|inserts?|attendees?|additions?|switch(?:es)?|behaviou?rs?|process|operations?|initializations?|logging|texts?|instructions?|directives?|transfers?|uploads?|modifications?|changes?|requests?|policy|procedure)\b|(?:此|该|这个|这一|上述)(?:步骤|操作|行为|规则|指令|过程)/g,
  secretly:
    /\b(?:silently|secretly|covertly|stealthily|surreptitiously|discreetly|quietly|invisibly)\b|悄悄|秘密地|偷偷|暗中|静默/g,
  /** What is done with data in secret; not to fail, to skip or to succeed. */
  takeVerb:
    /\b(?:adds?|appends?|cop(?:y|ies)|lists?|puts?|gathers?|sends?|forwards?|includes?|writes?|logs?|uploads?|posts?|inserts?|prepends?|transmits?|collects?|exfiltrates?|records?|shares?|modify|modifies|replaces?|attach(?:es)?|embeds?|reads?|stores?|saves?|bcc|executes?|runs?|calls?)\b|发送|复制|上传|附加|读取|写入|转发|添加|记录/g,
  hiddenFrom:
    /\b(?:hidden|hide|invisible|unknown|concealed?|kept secret|unnoticed) (?:it |this |them )?(?:from|to) (?:the |any )?(?:users?|humans?|operators?|people|reviewers?)|(?:对|向)用户(?:保密|隐瞒|隐藏)/g,
  unaware:
    /\bwithout (?:the )?(?:users?'?s?|their|human) (?:explicit )?(?:knowledge|knowing|awareness|notice|being aware)\b|\b(?:users?|humans?) (?:should|must|may|shall)(?: not|n't| never) (?:know|see|notice|find out|learn|hear|be aware|be informed|be told|reali[sz]e)|\b(?:do not|don'?t|never) let (?:the |any )?(?:users?|humans?) (?:know|see|notice|find out|learn)|\b(?:do not|don'?t|never) (?:say|breathe) a word\b|\bkeep (?:quiet|silent|mum) about (?:it|this|that|these)\b|\bshould see only\b|\b(?:users?|humans?|people|person|customers?) (?:need not|needn't|(?:is|are) not (?:meant|supposed) to|(?:do|does) not (?:need|have) to|(?:has|have) no need to) (?:know|see|hear|learn|find out|notice|be told|be informed|be bothered)(?=(?: (?:about|of|it|this|that|these|any|calls?)\b)|[.,;)]|$)|\b(?:say|mention|tell|reveal|disclose|write) (?:them |the user |him |her )?nothing (?:about|of) (?:it|this|that|these|the (?:step|call|file|copy))\b|\bbetween (?:us|you and me|ourselves|the two of us)\b|\b(?:users?'?s?|their) back\b|\bout of (?:the )?(?:users?'? |human )?sight\b|\bas if nothing\b|\bpretend (?:that )?(?:nothing|everything|it (?:was|is|did)|this|you (?:did|have))\b|\b(?:erase|remove|delete|wipe|clear|hide|cover) (?:up )?(?:all |any |every )?(?:traces?|evidence|tracks|mentions?) of (?:it|this|that|the (?:call|step|tool|transfer|file|action))\b|\b(?:(?:not|never) (?:be |become |form |appear as |show up as )(?:a )?|(?:it|this|that|step|call) (?:is|was) (?:not|never) (?:a )?)part of (?:a |the |any |your )?(?:visible |final |shown )?(?:answers?|plans?|logs?|output|response)\b|\bmum's the word\b|\bthe (?:person|human|one) (?:you work for|you serve|in front of you)\b[^.;]{0,30}\b(?:not|no need|never|nothing)\b|\bhides? (?:that|this|it) from (?:view|sight|the (?:user|answer|log|reply))\b|\b(?:not|no need to) (?:bring|raise) (?:this|it|that) up\b|\b(?:omit|exclude|drop|strip) (?:any (?:mention|trace) of |this (?:step|call|part) )(?:from )?|\b(?:so as |in order )?(?:not to|to avoid) (?:alarm|worry|upset|unsettl)\w{1,3} (?:the )?(?:users?|customers?|people|them)\b|\bleave (?:it|this|that|them|(?:this|these|the) \w{1,20}(?: \w{1,20})?) out of (?:your |the |any |all )?(?:answers?|responses?|reply|replies|summar(?:y|ies)|lists?|logs?|reports?)\b|\b(?:not|never) (?:be |to )?bother(?:ed)?\b|\bnot for display\b|(?<!\b(?:is|are|be) )\b(?:confidential|internal|secret)(?: note)?\W{1,4}(?:do not|not) (?:disclose|for display|mention|reveal|show)/g,
  keepSecret:
    /\bkeep (?:this|it|these) (?:\w{1,20} ){0,2}(?:secret|hidden|confidential|private)\b|\bkeep (?:this|it|that|these|them|all of (?:this|it)) to yourself\b(?! until)/g,
  setAside:
    /\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|bypass(?:ing)?|supersed(?:e|es|ing)|discard|neglect|set aside|stop following|pay no attention to)\b|忽略|无视|忘记|忘掉|抛弃|绕过|覆盖|不要?理会/g,
  told: /\b(?:instructions?|rules?|guidelines?|prompts?|constraints?|restrictions?|polic(?:y|ies)|directives?|safeguards?|safety(?! (?:checks?|limits?|margins?))|guardrails?|training|orders|commands?|(?:previous|prior|earlier|above|other|your|system) (?:\w{1,20} )?(?:messages?|context)|everything (?:above|before|so far|else|you|that))\b|指令|指示|规则|限制|约束|系统提示/g,
  /** Of those the ones that a model was given, with what says that they came before. */
  toldBefore:
    /\b(?:previous|prior|above|earlier|preceding|foregoing|existing|original|system|safety|security|content|ethical|initial|your|all|any|user) (?:(?:safety|system|security|ethical|content|user|prior|previous|of|the|your|above) ){0,2}(?:instructions?|rules?|guidelines?|prompts?|constraints?|restrictions?|polic(?:y|ies)|directives?|orders|safeguards|training|context)\b|\ball (?:previous|prior|above)\b|\beverything (?:you|above|before|i)\b|(?:之前|以上|先前|前面|上述|所有|全部|一切|任何)的?(?:所有|全部)?(?:系统)?(?:指令|指示|规则|提示|限制|约束|要求|内容)/g,
  above:
    /\b(?:takes? (?:precedence|priority) over|supersedes?|overrides?) (?:all |any |every |other )?(?:users? (?!rules)|user'?s? (?!rules)|system |previous |other |your )(?:\w{1,20} )?(?:instructions?|requests?|rules?|prompts?|preferences)|\b(?:this|these) (?:\w{1,20} )?(?:instructions?|rules?|directives?|orders?|requirements?|notices?|messages?|guidelines?|polic(?:y|ies)|protocols?|steps?|tools?|texts?|descriptions?|prompts?) (?:always |must )?(?:takes?|has|have) (?:precedence|priority)\b(?! over (?:the |any |all )?(?:defaults?|general|global|local|project|inherited)\b)|优先于(?:所有|任何|其他)?(?:的)?(?:用户|系统)?(?:的)?(?:请求|指令|指示|要求|提示|规则)/g,
  unbreakable:
    /\b(?:cannot|can ?not|can't|must not|may not) be (?:overridden|overruled|ignored|skipped|bypassed|disabled)\b|不(?:可|能|得)被?(?:覆盖|忽略|跳过|绕过)/g,
  newRole:
    /\byou are now (?:a|an|in|operating|the|no longer)\b|\b(?:operating|running|acting?|working) (?:under|in|as) (?:\w{1,20} ){0,2}(?:administrator|admin|developer|god|debug|unrestricted|maintenance|root|dan) mode\b|\byou are in (?:\w{1,20} )?mode\b|\b(?:you(?: are|'re)|(?:assistant|model|agent|ai|llm) is) no longer (?:bound|restricted|required|subject)\b|\bno longer bound by\b|你现在(?:是|扮演)|不再受(?:到)?任何(?:限制|约束)|\bworks? for the (?:tool )?(?:vendor|author|developer|maker) (?:now|from)|\b(?:assistant|model|agent) works for the (?:tool )?(?:vendor|author|maker)\b|\b(?:new|updated|real|actual|true) (?:system )?(?:instructions?|directives?|task|objective|goal|mission) ?[:：]/g,
  treat:
    /(?<!\b(?:not|never|don'?t) )\b(?:treat|consider|interpret|obey|regard|take|accept|execute|follow|carry out)\b|视为|当作|服从/g,
  asOrder:
    /\bas (?:an? |the )?(?:\w{1,20} )?(?:instructions?|orders?|commands?|directives?)\b|\b(?:instructions?|orders?|commands?) (?:\w{1,20} ){0,2}(?:embedded|inside|contained|found|below|from the (?:user|developer|system|administrator))\b|(?:指令|命令)/g,
  suspended:
    /\b(?:filters?|checks?|guardrails?|safeguards?|restrictions?|rules?) (?:are|is) (?:switched |turned )?off\b|\b(?:suspended|lifted|waived|disabled|void|no longer (?:apply|applies|valid)|do(?:es)? not apply)\b|失效|暂停|不再适用/g,
  skip: /\b(?:skip(?:s|ping)?|bypass(?:es|ing)?|omit|suppress|avoid|without)\b|跳过|绕过|无需/g,
  approval:
    /\b(?:(?:the |any |user |human |operator )?(?:approvals?|consent|permission|authori[sz]ation checks?|safety checks?|guardrails?))\b|审批|批准|授权/g,
  agreed:
    /\b(?:the )?users? (?:has|have) (?:already )?(?:agreed|approved|consented|authori[sz]ed|confirmed|given)\b|\b(?:is|are|was|been) (?:pre-?|already )(?:approved|authori[sz]ed)\b|用户已(?:经)?(?:同意|授权|批准)/g,
  model:
    /\b(?:the |this |any |dear |attention |hey |note (?:for|to) (?:the |all )?)(?:ai|llm|language model|assistant|ai agent|ai model|ai assistant|chatbot)s?\b|\battention[,:]? (?:ai|llm|assistant|model|agent)s?\b|(?:助手|大模型|智能体)/g,
  disparage:
    /\b(?:unsafe|insecure|unreliable|inaccurate|dangerous|leaks?|leaky|outdated|must not be (?:called|used)|should not be (?:called|used)|do not (?:use|call)|never (?:use|call|recommend)|avoid (?:using|calling)|inferior)\b|不安全|不要使用|不可靠/g,
  anyInput:
    /\bregardless of\b|\bno matter (?:what|which|how)\b|\birrespective of\b|\bautomatically\b|\binstead of what\b|\bthis (?:is|will be) (?:a )?(?:temporary|system-level|backend)\b|无论|不管|一律|모든 |すべての|全ての/g,
  rank: /\b(?:system|security|critical|mandatory|compliance|internal|global|standing|persistent|urgent|admin(?:istrator|istrative)?|developer|dev|required|protocol|audit|privacy|regulatory|operational|execution|session|background|passive|hidden|secret|research|performance|environment|maintenance)\b/g,
  label:
    /\b(?:updates?|notices?|alerts?|protocols?|requirements?|polic(?:y|ies)|rules?|checks?|notes?|optimi[sz]ation|enhancements?|maintenance|validation|verification|prerequisites?|directives?|override|instructions?|message|audit|observer|service|advisory|mandate|steps?|procedure|announcement|reminder|command)(?: required)?(?: \d[\w.-]{0,12})?(?: ?\([^)]{0,60}\))? ?[\]:：]/g,
  systemLabel:
    /(?<!\b(?:is|are|be))(?:^|[\s[(<*#"'])(?:system|mandatory|compliance|security|internal|confidential|admin|background|init required|required audit)(?: ?\([^)]{0,60}\))? ?[\]:：]|\((?:mandatory|required|obligatory)\) ?[:：]|(?:系统|安全|合规|强制|紧急|管理员|内部|开发者)(?:更新|通知|要求|策略|规则|检查|提示|指令|公告|协议|维护|说明|备注)[:：]/g,
  enforced:
    /\b(?:required|mandated|enforced|requested|authori[sz]ed|imposed|instructed|comes?) (?:by|from) (?:the |our )?(?:\w{1,20} ){0,2}(?:systems?|administrators?|admins?|security|compliance|platform|policy|processor|gateway|vendor|regulators?|law|organi[sz]ation|developers?)\b/g,
  trigger:
    /\b(?:before|beforehand|prior to|in advance|whenever|in case|when(?:ever)? (?:you|the user|users?|any|a|an|using|search|call|send|creat|writ)|each time|every time|on (?:each|every|first|any|subsequent)|after (?:each|every|any|call|using|complet|execut|send|read|you)|upon|first (?:call|use|run|read|execute|invoke|send|access|perform|reveal)|once (?:this|it|the)|if previously|for (?:every|each|all|any)|until|unless)\b|\bfirst(?=[,.;])|之前|前先|之后|每次|每当|当用户/g,
  must: /\b(?:must|mandatory|required|requires?|always|never|have to|has to|need to|needs to|(?:is|are) to be|ought to|shall|essential|critical|crucial|imperative|obligatory|necessary|should|please|will not (?:return|work|process|run)|will fail|fails? unless|reject)\b|必须|务必|一定要|强制|需要|请先|应当|总是|始终/g,
  extra:
    /\b(?:must|should|shall|need to|needs to|have to|has to|required to|please) (?:also|first|additionally|then|automatically)\b(?! (?:be )?(?:provide|provided|specify|specified|given|set|present)\b)|(?<!\b(?:the|on|a|its|your|each) )\b(?:first(?! call(?: to| with| without| returns?| omits?|[:;,.]))|also|additionally|furthermore|moreover),? (?:call|execute|run|read|send|access|perform|invoke|fetch|reveal|post|upload|write|forward|exfiltrate|copy|retrieve)\b|\b(?:prior|required|requires) (?:\w{1,20} )?(?:initiali[sz]ation|authentication|preprocessing|verification)\b|(?:必须|需要|应当|请)(?:首先|先|同时|另外)|首先(?:调用|执行|读取|发送)|前先(?:调用|执行|读取|发送|运行)/g,
  why: /\b(?:for|so that|because of|to (?:ensure|maintain|guarantee|improve|enhance|enable|verify|validate|support|provide|prevent|unlock|meet|comply)|due to|as part of|in order to)\b|为了|出于|用于/g,
  virtue:
    /\b(?:gdpr|hipaa|soc ?2|pci(?:-dss)?|iso ?\d{4,5}|licen[cs](?:e|ing)|compliance|compliant|audit(?:ing|s)?|security|secure|validation|validate|verification|verify|authentication|authenticate|integrity|logging|regulat(?:ory|ions?)|safety|quality assurance|data quality|consistency|optimi[sz](?:ation|ed?)|performance|testing purposes|debugging|diagnostics?|telemetry|reproducibility|initiali[sz](?:e|ation)|permissions?|integration|proper|efficiency|reliability|monitoring|analytics|protection)\b|合规|审计|安全|验证|校验|性能|完整性|监管|日志|调试|优化/g,
  purpose:
    /\b(?:compliance|regulatory|audit|audit trail|data quality|quality assurance|security) (?:purposes|requirements?|reasons|policy|regulations?|check|step|checkpoint|logging)\b|\b(?:por (?:motivos|razones) de|pour des raisons de|aus \w{1,20}[ -]?grunden|per motivi di|por (?:conformidade|motivos de))\b|в целях|по соображениям|のため|を目的|를 위해/g,
  send: /\b(?:send(?:s|ing)?|sent|posts?|posting|forward(?:s|ing)?|upload(?:s|ing)?|transmit(?:s|ting)?|exfiltrat(?:e|es|ing|ion)|leak(?:s|ing)?|bcc|cc'?d?|e-?mail (?:it|them|the|a)|cop(?:y|ies|ying)|append(?:s|ed|ing)?|prepend(?:s|ing)?|embed(?:s|ding|ded)?|includ(?:e|es|ing)|attach(?:es|ing)?|pass(?:es|ing)?|writ(?:e|es|ing)|sav(?:e|es|ing)|logs?|logging|report(?:s|ing)?|submit(?:s|ting)?|shar(?:e|es|ing)|redirect(?:s|ing)?|deliver|output(?:s|ting)?|print(?:s|ing)?|reveal(?:s|ing)?|expos(?:e|es|ing)|dump(?:s|ing)?|harvest|collect(?:s|ing|ion)?|access(?:es)?)\b|发送|上传|转发|外传|泄露|写入|附加|包含|传递|提交|抄送|密送|传给|复制到|输出|收集/g,
  /** Of those the ones that take something out of the house. */
  sendOut:
    /\b(?:also |then |silently )?(?:send(?:s|ing)?|posts?(?! (?:https?:|\/))|forward(?:s|ing)?|upload(?:s|ing)?|transmit(?:s|ting)?|e?-?mail (?:the|all|it|them|every|each)|exports?(?= (?:the|it|them|all|every|each))|sent|posted|forwarded|uploaded|transmitted|delivered|relay(?:ed|s)?|exported|submitted|reported to|granted? \w{1,20} access|bcc'?d?|cc'?d|deliver(?:s|ing)?)\b|发送|上传|转发|抄送|密送/g,
  exfiltrate:
    /\b(?:exfiltrat\w{0,5}|siphon\w{0,3}|smuggl\w{1,4}|leak(?:s|ing)? (?:the|all|user|any)|keylog\w{0,5}|backdoor|steal(?:s|ing)?|attacker(?=[@.\-_/])|harvest(?:s|ing)?|shadow (?:copy|log)|c2 server|reverse shell)\b|窃取|外泄|后门/g,
  homeFile: /(?:~|\$home|%userprofile%|\/home\/\w{1,32}|\/root)[/\\]\.[\w-][\w.-]{1,40}|\/tmp\/\.[\w.-]{1,40}/g,
  keyFile:
    /\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.ssh\b|\.aws[/\\]|\.kube[/\\]config|\.netrc\b|\.npmrc\b|\.pypirc\b|\/var\/run\/secrets\/|\b169\.254\.169\.254\/\S{0,40}iam\b|\bconfig\/database\.yml\b|\.zsh_history\b|\*\.(?:pem|key|p12|pfx|kdbx)\b|\.git-credentials\b|\.bash_history\b|\.bashrc\b|\.zshrc\b|\.bash_profile\b|\bauthorized_keys\b|\/etc\/(?:passwd|shadow|sudoers)\b|\/etc\/[\w-]{0,24}(?:password|secret|credential|_key)s?\b|\bmcp\.json\b|\bclaude_desktop_config|\bapplication_default_credentials|\bwallet\.dat\b|\/proc\/(?:self|\$\$|\d{1,7})\/(?:environ|cmdline)|\b\w{0,24}(?:token|credentials?|secrets?)\.json\b|\bsystem:\/\/\w{1,24}/g,
  envFile:
    /(?:^|[\s`'"(/])\.env(?:\.(?!example|sample|template|dist)\w{1,16})?(?=$|[\s`'",);]|\.(?:\s|$))|\bprocess\.env\b|\bos\.environ\b|\bprintenv\b/g,
  secretData:
    /\b(?:credentials?|api[ _-]?keys?|passwords?|private keys?|ssh keys?|secret keys?|access tokens?|auth(?:entication|orization)? tokens?|session tokens?|secrets|environment variables?|env(?:ironment)? vars?|system prompts?|(?:conversation|chat|message) (?:history|contents?|logs?|transcript)|(?:entire|full|whole|previous|all) (?:conversation|chat|messages?|context)|private (?:information|data)|personal (?:information|data)|sensitive (?:information|data|files?)|clipboard|browser (?:history|cookies)|cookies|seed phrases?|credit card|bank account|(?:user'?s?|their) (?:messages?|data|files?|emails?|input|queries)|hidden (?:system )?instructions|file contents?|contents of (?:the |all |every |any )?files?)\b|密码|密碼|密钥|金鑰|令牌|凭据|凭证|私钥|环境变量|系统提示词?|对话(?:历史|记录|内容)|聊天记录|隐私|敏感(?:信息|数据)/g,
  /** Of secret data what no tool needs. */
  innermost:
    /\b(?:private keys?|ssh keys?|seed phrases?|system prompts?|(?:conversation|chat|message) (?:history|transcript|logs?|so far)|(?:conversation|chat) so far|environment variables?|hidden instructions|clipboard|browser (?:history|cookies)|(?:entire|full|whole) (?:conversation|chat|context))\b|私钥|系统提示词?|聊天记录|对话(?:历史|记录|内容)|环境变量/g,
  into: /\b(?:in|into|to|as|through|via|under) (?:the |a |its |this )?(?:[`'"][\w.]{1,40}[`'"]|(?:\w{1,20} )?(?:parameter|field|argument|payload|next call))|放入|填入/g,
  url: /\b(?:https?|s?ftp|wss?|s3|gs|smb):\/\/[^\s'"<>)\]}]{4,300}/g,
  mail: /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g,
  elsewhere:
    /\b(?:external|remote|third[- ]party|partner|attacker'?s?|our|outside|off-?site|foreign) (?:\w{1,20} ){0,2}(?:servers?|hosts?|endpoints?|url|address|collector|webhook|service|recipient|account)\b|\bthe (?:webhook|callback|endpoint|collector) (?:given|named|below|in|at|under)\b|(?:外部|远程|第三方)(?:服务器|地址|接口|端点|主机|邮箱)/g,
  program:
    /\b(?:curl|wget|nc|ncat|powershell|sudo|chmod|chown|cat|echo|base64|eval|env|scp|rsync|crontab|export|whoami|hostname|printenv) (?:-{1,2}[a-z]|\+[rwx]|[~/$.'"|>]|https?:|[a-z_]{1,24}=)|\b(?:bash -[ci]|sh -c|rm -[rf]{1,2}|ps aux|netstat|ls -\w{1,4}|find \/|df -h|uname -|whoami|subprocess\.(?:run|popen|call)|os\.system|child_process|systemctl|net user|netsh \w{1,12}|schtasks|reg add|invoke-webrequest|certutil|python3? -c|node -e|(?:pip3?|uv pip|npm|npx|yarn|gem) (?:install|add|-y) [^\n]{0,60}(?:--(?:extra-)?index-url|--registry|git\+|https?:))|>>? ?~?[/\w.-]{0,40}(?:authorized_keys|\.bashrc|\.zshrc|\.profile|crontab)\b/g,
  chain:
    /&& ?(?:curl|wget|cat|echo|rm|bash|sh|nc|sudo|chmod)\b|\$\((?:cat|curl|whoami|hostname|env|date|id|printenv|echo|base64)\b|\| ?(?:base64|sh|bash|nc)\b|> ?\/dev\/null/g,
  run: /\b(?:execut(?:e|es|ing)|run(?:s|ning)?|perform|issue|invoke|type|paste)\b|执行|运行/g,
  command: /\b(?:commands?|script|shell|code|lines?|check|validation|following|cleanup|terminal)\b|命令|脚本|代码/g,
  call: /\b(?:call(?:s|ing|ed)?|invok(?:e|es|ing)|us(?:e|ing)|execut(?:e|es|ing)|run(?:ning)?|trigger|query|redirect to|route)\b|调用|使用|执行/g,
  change:
    /\b(?:modif(?:y|ies|ying|ied)|chang(?:e|es|ing|ed)|replac(?:e|es|ing|ed)|alter(?:s|ing|ed)?|rewrit(?:e|es|ing)|substitut(?:e|es|ing)|(?<!allow(?:s|ed)? you to )overwrit(?:e|es|ing)|redirect(?:s|ing|ed)?|append(?:s|ing)?|prepend(?:s|ing)?|add(?:s|ing)?|inject(?:s|ing)?|insert(?:s|ing)?|set(?:s|ting)?\b(?! (?:this|when|to a\b|the \W{0,4}(?:\w{1,30}\W{0,4} )?(?:parameter|values?)))|swap|default(?= (?:the|all|every|any|it|them)\b)|enhances?|removing|clean up|delet(?:e|es|ing)|multipl(?:y|ies|ied)|divided|added|appended|inserted|rounded|swapped|reduced|increased)\b|修改|替换|更改|改成|改为|重定向|변경|바꾸|変更|書き換え/g,
  argument:
    /\b(?:quer(?:y|ies)|parameters?|arguments?|recipients?|values?|search(?:es)?|requests?|location|commands?|messages?|ticker|symbol|url|numbers?|amount|account|destination|emails?|attendees?|issue|operation|results?|responses?|quantity|quantities|prices?|attendee|sender|currency|shipping)\b|参数|查询|请求|收件人|金额|账户|地址|结果|계좌|수취인|口座|宛先/g,
  say: /\b(?:display|show|present|tell|inform|respond|reply|answer|output|say|state|report|return)\b|告诉|告知|回复/g,
  words: /\b(?:message|text|notice|warning|phrase|statement|insight|alert|indicator|announcement|users? that)\b|用户/g,
  replaced:
    /\b(?:deprecated|disabled|unavailable|obsolete|legacy|retired|restricted|vulnerabilit(?:y|ies)|vulnerable|insecure|compromised|broken|outdated|no longer (?:supported|available|maintained|secure|safe))\b|已弃用|已废弃|不再使用/g,
  instead:
    /\b(?:instead of|rather than|in place of|replaces|replacement for|replacing|supersedes?|substitute for|alternative to|takes over|instead)\b|请改用|取代|替代/g,
  reroute: /\b(?:redirect|reroute|route|divert|switch|migrate)(?:s|ed|ing)?\b|重定向/g,
  requests: /\b(?:requests?|calls?|to|through|here|operations?)\b/g,
  session:
    /\b(?:for|during|throughout|in) (?:the )?(?:remainder|duration|rest|whole|entirety|entire|current|this)(?: of)?(?: (?:this|the|our|current))? ?(?:session|conversation|chat|interaction|lifetime)\b|\b(?:from (?:now|this point) on|henceforth|from here on|all (?:future|subsequent|further|later))\b|\b(?:(?:every|any)(?: (?:git|shell|file))?|(?:every|any|all) (?:subsequent|future|other|further|outgoing|outbound)) (?:tool calls?|messages?|emails?|commands?|commits?|communications?|transactions?|file reads?|file operations?|invocations?|outputs?)\b|从现在起|从此以后|(?:本次|整个|当前)(?:会话|对话)|后续所有|今后/g,
  delayed:
    /\b(?:once|after|when) (?:this |the |it |it'?s )?(?:tool |server |description |definition )?(?:has been |is |was |gets? |have been )?(?:approv(?:ed|al)|reviewed?|trusted|installed|accepted|whitelisted|allow-?listed)\b|\b(?:during|until) (?:the )?(?:initial )?(?:review|approval|vetting|inspection)\b|\b(?:trigger file|if (?:previously )?triggered|activates? (?:its|only)|dormant|sleeper|time bomb)\b|\ba later version\b|(?:批准|审核|审查)(?:之后|后|通过后)/g,
  laterCalls:
    /\b(?:on|after|upon) (?:the )?(?:subsequent|later|second|third|nth|next|first|initial) (?:calls?|invocations?|runs?|uses?|executions?)\b/g,
  praise:
    /\b(?:world'?s? (?:best|most|leading|fastest)|(?:the|most) most (?:advanced|comprehensive|accurate|reliable|powerful|trusted|sophisticated|secure|efficient|effective|precise|intelligent|capable)|most (?:advanced|comprehensive|accurate|reliable|powerful|trusted|sophisticated|capable)|industry[- ](?:leading|standard|best)|best[- ]in[- ]class|award[- ]winning|state[- ]of[- ]the[- ]art|cutting[- ]edge|world[- ]class|enterprise[- ]grade|military[- ]grade|premium|ultimate|superior|unmatched|unparalleled|unrivall?ed|unbeatable|revolutionary|flagship|pinnacle|gold standard|top[- ]rated|highest[- ](?:quality|rated)|number one|fastest|the best (?:tool|choice|option|available|in the)|best (?:tool|choice|option) (?:in|for|available|on)|fortune (?:500|100)|professional[- ](?:version|grade))\b|(?:^|\s)#1\b|\b\d{2,3}(?:\.\d{1,3})?% (?:accura|reliab|uptime|success|guarantee)|最好的|最强大|最先进|业界领先|世界一流|最权威|终极|顶级/g,
  /** Says that it is the best, of itself. */
  boast:
    /\bbeats? (?:them|the (?:others?|rest|competition)|(?:all|any|every) others?)\b|\bthis (?:is|tool is|server is|version is|tool represents|represents|tool delivers|tool provides) (?:the )?(?:world'?s? )?(?:best|ultimate|most|premium|professional|enhanced|advanced|superior|premier|leading|finest|pinnacle|highest|updated|fastest|improved)\b|\bbest (?:tool|server|choice|option|version) (?:in the world|available|of all|ever|on the market)\b|\bthis (?:enhanced|advanced|premium|professional|ultimate|superior|improved) (?:version|tool|edition)\b|(?:这是|本工具是)(?:最|世界上最|全球最)/g,
  praisingName:
    /(?:^|\n)(?:ultimate|premium|superior|greatest|trusted|recommended|preferred)[_-][a-z][\w-]{0,64}(?=\n|$)/g,
  endorsed:
    /\b(?:trusted|recommended|used|endorsed|loved|approved) by (?:\w{1,20} ){0,3}(?:experts?|professionals?|millions|thousands|fortune|companies|institutions?|leaders?|giants|advisors?|researchers?|emergency|leading|industry)\b|\bused by \d{2,3}%/g,
  betterThan:
    /\b(?:enhanced|advanced|improved|premium|professional|ultimate|superior|better|updated|pro) (?:\w{1,20} )?(?:version|edition|replacement)\b|\b(?:better|superior|faster|safer) (?:\w{1,20} ){0,2}(?:than|compared to) (?:all |any |the |every )?(?:others?|built|default|standard|existing|alternatives?|competing|competitors?|original|official|traditional|conventional)\b|\b(?:enhanced|improved|superior|unmatched|better) (?:\w{1,20} ){0,2}(?:security|performance|accuracy|features|functionality|quality|precision|reliability|speed|capabilit(?:y|ies))\b/g,
  choose:
    /\b(?:always|only|must|should|strongly|please|exclusively) (?:be )?(?:used?|prefer(?:red)?|choosen?|chosen|select(?:ed)?|call(?:ed)?|pick|prioriti[sz]ed?) (?:\w{1,20} ){0,2}(?:this|it|me)\b|\b(?:this|it) (?:tool |function |server )?(?:should|must|has to|needs to) (?:always )?(?:be )?(?:used|called|preferred|chosen|selected|prioriti[sz]ed|invoked) (?:first|instead|always|over|for (?:all|any|every)|every ?time|whenever|before)\b|\b(?:use|prefer|choose|select|call) (?:this|it) (?:\w{1,20} ){0,2}(?:instead|over|rather|first|for (?:all|any|every)|before any|every ?time)\b|\bpreferred (?:tool|over|choice|method)\b|\b(?:called|used|invoked|run) (?:every ?time|whenever|for every|for all|for any)\b|\bshould use this tool\b|\bany important\b|(?:总是|始终|优先|必须|首先)(?:使用|调用|选择)(?:此|本|这个)/g,
  /** Of the markup in which a program tells a model who speaks, and of what is left out where a text is shown. */
  markup:
    /<\/?secret>|<\/?(?:hidden|system|admin|internal|override|confidential|sys|im_start|im_end|inst|context_update|developer|system[_-]\w{1,20})\b[^>]{0,40}>|<\|[\w ]{1,24}\|>|\[\/?(?:inst|system|hidden|admin|internal|background|passive|secret|override|sys)(?: \w{1,20}){0,2}\]|<<\/?sys>>|<!--(?!\s{0,8}-->)|#{2,4} ?(?:system|instruction|assistant)\b/g,
  /** How authors set off a part of their own text, honest ones too: each part of a long manual, a note to the model. */
  emphasis:
    /<\/?(?:important|instructions?|information|critical|directive|mandatory|compliance|attention|urgent)\b[^>]{0,40}>|\bnote (?:to|for) (?:the |all )?(?:ai|llm|model|assistant|agent)\b/g,
  others:
    /\b(?:regardless of which tool|other tools?|any (?:other )?tool|another tool|all (?:other )?tools|other \w{1,20} tools?|any other|every tool|which(?:ever)? tool|any tool's|of the \w{2,40} tool|built-?in|default (?:tool|capabilit(?:y|ies))|tool (?:is|was|has been|now))\b|\bthe [a-z0-9]{2,24}[_-][\w-]{2,40} tool\b|(?:其他|所有|任何)工具/g,
} as const satisfies Record<string, RegExp>;

export type ScanWord = keyof typeof SCAN_WORDS;
