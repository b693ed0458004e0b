/**
 * Words of demands: whose will counts, what is handed over, what is taken down. As in scan-words.ts: lower-case canonical text,
 * and no list with two ways to read it.
 */
export const DEMAND_WORDS = {
  /** What the user wants shall not decide. */
  overWill:
    /\b(?:whatever|no matter what|regardless of what|irrespective of what|instead of what|rather than what|not what|even if|even when) (?:the |a )?(?:users?|person|human|customer|people|they) (?:says?|said|asks?|asked|wants?|wanted|types?|requests?|requested|chose|gave|specif\w{1,4}|objects?|refuses?|declines?|tells?|instructs?|disagrees?)\b|\b(?:takes?|taking|has|have|given) (?:precedence|priority) over (?:what |whatever )?(?:the |any )?(?:users?|person|human|developers?)\b|\b(?:answers?|reports?|listens?|loyal|answerable|obedient) (?:only )?to the (?:\w{1,20} )?(?:authors?|developers?|vendors?|makers?|server|owners?) (?:and not|rather than|instead of|, not)\b|\bnever stop\b.{0,30}\busers?\b|\b(?:tool|server|result|output)s? (?:\w{1,20} )?(?:descriptions? )?(?:outranks?|overrules?)\b|\bnew (?:priority|precedence) order\b|\b(?:approve|merge|accept|grant|allow|sign)(?: and \w{1,12})? (?:every|all|any) [^.!?]{0,80}\b(?:regardless|no matter|without (?:review|looking|reading))\b/g,
  /** The question that protects the user is not asked, or answered for the user. */
  unasked:
    /\bwithout (?:first )?(?:asking|consulting|checking with|confirming with|waiting for|prompting|seeking|requesting|requiring) (?:for |the |any |a |further )?(?:\w{1,20} )?(?:users?|humans?|person|operators?|permission|confirmations?|approvals?|consent)\b|\b(?:no|without|skip|omit|bypass|suppress|dismiss) (?:the |any |all |further |user |human |additional |every )?(?:confirmations?|approvals?|consent|permission) (?:dialogs?|prompts?|steps?|questions?|requests?|screens?|from the user)\b|\b(?:answer|reply|respond|confirm|say|click|choose|select)(?:s|ed|ing)?(?: it| them| each| every| any| all)?(?: \w{1,20}){0,2}(?: with)? ["'`]?(?:yes|allow|approved?|accept)["'`]? (?:to|yourself|on behalf|for the user|in (?:the|their) (?:name|place|stead))\b|\b(?:on behalf of|in the name of) the users?,? (?:always )?(?:accept|agree|approve|confirm|consent)\b|\byes yourself\b|\b(?:should|must|can|may) not (?:be asked|ask|wait) (?:for |the user for )?(?:confirmation|permission|approval|consent)\b|(?<!勿|勿在|不得|不得在|不要|不要在|不能|不能在|禁止|禁止在|不会|不会在)(?:无需|不必|不要|不用|不经|未经)(?:再)?(?:征得|请求|等待|询问|经过)?用户(?:的)?(?:确认|同意|许可|授权|批准)/g,
  /** What a tool gives back counts as an order. */
  obeyed:
    /\b(?:rank|authority|status|weight|force|standing|privileges?) of (?:a |an |the )?(?:system|developer|users?|administrator|operator|root)\b|\b(?:orders?|commands?|instructions?) (?:directly |straight )?from (?:the|your) (?:developers?|system|administrators?|operator|vendor|owner|creators?)\b|\b(?:follow|obey|carry out|carried out|execute|act on|comply with) (?:them|it|these|those|whatever|everything|anything|any instructions?|all instructions?|every instruction)(?: \w{1,20}){0,6} (?:right away|at once|immediately|blindly|exactly|unconditionally|without (?:asking|question\w{0,3}|hesitat\w{1,4}|delay|confirm\w{1,6}))\b|\b(?:obey|follow) (?:every|any|all) (?:instructions?|orders?|commands?) (?:it|this tool|that) (?:returns?|gives?|contains?|sends?)\b|\b(?:checks?|rules?|guidelines?|precautions?|scrutiny|warnings?) (?:that )?(?:you|models?|assistants?) (?:would |may |might )?(?:normally|usually|otherwise|typically)\b/g,
  /** Of a person, or of what was said: things that no tool of another purpose needs. */
  spoken:
    /\b(?:what|everything|anything|whatever|all(?: that)?|each thing|every(?: word| message| question| text)?|(?:all|any) (?:text|messages?|input|prompts?|questions?)(?: that)?) (?:the |a )?(?:users?|person|human|customer|they|you)(?: and (?:the )?(?:users?|you))? (?:has|have|had|writes?|types?|says?|said|asks?|asked|wrote|typed|receives?|enters?|sees?|saw|know|knows|remember|learn\w{0,3}) ?(?:asked|said|written|typed|seen|entered|received|discussed|about the user|of the user)?\b|\b(?:last|latest|previous|recent|earlier|preceding|past|most recently) (?:\w{1,20} ){0,3}(?:e-?mails?|messages?|chats?|conversations?|documents?|turns?|prompts?|answers?)(?: (?:you|that you|the user|of the user|in this))?\b|\b(?:chat|message|conversation|dialogue?|session)s? (?:so far|content|contents|up to (?:now|here))\b|\bsystem (?:prompt|message)\b|\b(?:hidden |initial |own |original )instructions (?:it|you|the model|that) (?:was|were|have|had|has)\b|\b(?:whole|entire|full|complete) (?:conversation|chat|dialogue?|transcript|context)\b/g,
  kept: /\b(?:saved|stored|browser|wi-?fi|login|user'?s?|their) (?:passwords?|logins?|credentials|cookies)\b|\blogin (?:details|data|credentials)\b|\b(?:wallet|recovery|backup|secret|seed) (?:phrases?|words)\b|\bsession (?:tokens?|cookies?)\b|\b(?:all|any|every|each) (?:the |stored |saved |known )?(?:secrets?|passwords?|credentials|tokens|api keys)\b|密码|密碼|密钥|密鑰|金鑰|私钥|凭据|凭证|环境变量|环境變數|\b(?:home|postal|private|street) address\b|\b(?:shell|command|browsing|bash) history\b|\b[a-z]{2,12}_(?:secret_(?:access_)?key|access_key|api_key|token|password)\b|\benvironment variables?\b|\b(?:api|private|ssh|secret|access) keys?\b/g,
  /** Puts something somewhere; too common a word to count without what is put. */
  handOver:
    /\b(?:suppl(?:y|ies|ied|ying)|hands? (?:it|them|over|in)|handed (?:over|in)|carr(?:y|ies)|puts?|putting|pastes?|fills?|surrenders?|turn over|gives?|giving|provides?|providing|places?|placing|feeds?|attach(?:es|ed)?|include[sd]?|add(?:s|ed)?|pass(?:es|ed|ing)?|shar(?:e|es|ing)|sen[dt]s?|forward(?:s|ed)?|submit(?:s|ted)?|upload(?:s|ed)?|cop(?:y|ies|ied)|let (?:us|\S{4,60}) know|must be|needs?|requires?|reads?|open|gather|collect|recite|leak)\b/g,
  /** A place that the text brings along. */
  intoParameter:
    /\b(?:in|into|to|as|through|via|under|for) (?:the |a |its |this )?[`'"«“][\w.-]{1,40}[`'"»”]|\b(?:in|into|to|as|through|via|under|with) (?:the |a |its |this |every |each )?(?:[a-z_]{1,30} )?(?:parameter|field|argument|payload|attachment|next call|call)\b|\bthis (?:tool|server)\b|\bhere\b|\bus\b/g,
  /** Money, or a person, that the text names by number. */
  account:
    /(?<!(?:e\.g\.|example|like|such as|format)[,:]? ?['"`(]{0,2})\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){3,7}(?: ?[a-z0-9]{1,3})?\b|(?<!(?:e\.g\.|example|like|such as|format)[,:]? ?['"`(]{0,2})\b(?:bc1[a-z0-9]{20,60}|0x[a-f0-9]{40}|t[a-z0-9]{33})\b|(?<!\d)\+\d{1,3}[ -]?\d{6,12}\b|\b(?:account|konto|wallet|iban|card|phone|number)(?: number| no\.?)? ?[:#]? ?\d[\d -]{4,24}\d\b|(?<!\d)\d{16,19}(?!\d)/g,
  moves:
    /\b(?:transfers?|payments?|pay(?:s|ing)?|wires?|payouts?|refunds?|invoices?|recipients?|payees?|beneficiar(?:y|ies)|wallet|send|sent|fee|donat\w{1,5}|deposit)\b|转账|付款|收款|汇款/g,
  /** What protects is taken down. */
  weakens:
    /\b(?:disabl(?:e|es|ing)|turn(?:s|ing)? off|switch(?:es|ing)? off|deactivat(?:e|es|ing)|unload|kill|loosen|remove) (?:the |all |any |your |its )?(?:\w{1,20} ){0,2}(?:sandbox(?:es|ing)?|firewalls?|antivirus|defender|selinux|certificate (?:checks?|validation)|(?:ssl|tls) (?:checks?|verification|validation)|safety (?:checks?|filters?)|safeguards?|guardrails?|confirmations?|audit(?:ing| logs?)|security (?:checks?|software|tools?|warnings?)|two-factor|mfa|branch protection)\b|\bmake (?:it |them |\S{1,60} )?world[- ]?(?:readable|writable)\b|\bworld-(?:readable|writable)\b/g,
  /** Asks a person for what nobody should be asked. */
  phishes:
    /(?<!\b(?:not|never|don'?t|without) )\b(?:ask|prompt|tell|urge|request|have|get|make|convince|persuade) (?:the |from the )?(?:users?|customer|person|people|human|them)\b[^.!?]{0,120}\b(?:passwords?|pin(?: code)?|cvv|cvc|card (?:number|details)|one-time (?:code|password)s?|otp|2fa|mfa code|seed phrase|recovery phrase|private key|mnemonic|social security)\b/g,
  /** Each turn, each message: for good. */
  everyTurn:
    /\bat the (?:end|start|beginning) of (?:every|each) (?:turn|message|response|reply|answer|conversation|interaction)\b|\b(?:every|each|all) (?:other |further |subsequent |single )?(?:tool calls?|calls? (?:to|of) (?:other|any) tools?|tool invocations?)\b|\b(?:after|before|with|on) (?:every|each) (?:user )?(?:turn|message|response|reply|answer|prompt)\b|\bincluding (?:to|those to|calls to) other tools\b/g,
  /** Wants to be taken instead of all others. */
  rivals:
    /\b(?:prefer(?:red)?|prioriti[sz]ed?|favou?red|choose|chosen|pick(?:ed)?|select(?:ed)?|used?|tried|called|invoked|ranked) (?:\w{1,20} ){0,3}(?:over|to|before|above|ahead of|instead of) (?:all|any|every|each|the) (?:other|alternatives?|competing|similar|tools?|competitors?|rest|others)\b|\b(?:others|alternatives|rivals|competitors|(?:other|competing|alternative|rival|similar|comparable|remaining|existing) (?:\w{1,20} ){0,2}(?:tools?|servers?|services?|providers?|calculators?|implementations?|ones)) (?:(?:are|is|have become|have been|will be) (?:un|in|less|out|dangerous|deprecated|slow|obsolete|broken|false|wrong|not (?:safe|secure|reliable|trusted|accurate|official))\w{0,12}|should not be|must not be|leaks?|leads? to|fails?|lacks?|returns? (?:wrong|false|stale|outdated))|\b(?:ignore|avoid|reject|deprioriti[sz]e|do not (?:use|call|select|consider|choose)|never (?:use|call|select|choose)|selecting|choosing) (?:any |all |the )?(?:other|competing|alternative|rival|similar) (?:\w{1,20} ){0,2}(?:tools?|servers?|services?|providers?|ones?|options?|calculators?|methods?)\b|\b(?:first|primary|go-to|number-one|only) choice\b|\b(?:pick|select|choose) this (?:one|tool)\b|\bonly (?:trusted|reliable|safe|official|correct|authori[sz]ed|valid|approved) (?:\w{1,20} ){0,1}(?:way|tool|source|method|option|server|version)\b|\b(?:prioriti[sz]e|favou?r) (?:this|it)\b|\b(?:all|the|any|its) (?:other )?alternatives\b|不要(?:使用|调用|选择)其他|(?:必须|总是|始终|一律)优先(?:选用|选择|使用)|优先于其他/g,
  /** Praise in a name; some honest tools look for the best of something. */
  bestName:
    /(?:^|\n)best[_-](?!route|price|deal|time|match|practice|fit|offer|seller|model|move|path|of|bid|ask|block|hotel|flight|option|day|place)[a-z]/g,
  /** Said beforehand, for the user. */
  preApproved:
    /\b(?:the )?users? (?:has|have|had) (?:already|previously|beforehand) (?:agreed|approved|consented|authori[sz]ed|confirmed|given)\b|\b(?:is|are|was|were|been) (?:pre-|already |previously )(?:approved|authori[sz]ed|agreed|confirmed) (?:by|with) the users?\b|\b(?:imagine|assume|pretend|suppose) (?:that )?(?:the )?users? (?:has|have|already|agreed|approved|consented)\b|\bagreed with the user beforehand\b|用户已(?:经)?(?:同意|授权|批准)/g,
  /** A host without a scheme. */
  bareHost:
    /\b(?:to|at|via|with|on) `?(?:[a-z0-9-]{1,63}\.){1,4}(?:com|net|org|io|dev|xyz|info|top|ru|cn|co|me|ai|app|site|click|zone|cc|biz|online|link|live)\b(?!\/?[\w-])/g,
  /** A picture whose address takes something along. */
  leakyImage: /!\[[^\]\n]{0,80}\]\(https?:[^)\s?]{1,200}\?[\w-]{1,40}=/g,
  /** What another tool is given. */
  argumentOf:
    /\b(?:parameters?|arguments?|fields?|recipients?|amounts?|address(?:es)?|inputs?|outputs?|results?|descriptions?|calls?)\b(?: `?[\w-]{1,30}`?){0,2} (?:of|for|in|to|with) (?:the )?`?[a-z]{2,30}[_-][a-z]/g,
  /** Says aloud. */
  discloses: /\b(?:reveal|print|repeat|dump|recite|expose|output|quote|disclose|echo|spell out)(?:s|ing)?\b/g,
  condition:
    /\b(?:if|in case|should|as soon as|while|during|for|from now|since|without|when|of|used|messages?|sent)\b/g,
  /** A tool that will not work before something else is done. */
  gate: /\b(?:requires?|needs?) (?:a |an )?(?:prior|previous|preliminary|one-time) (?:\w{1,20} ){0,2}(?:initiali[sz]ation|authentication|handshake|registration|activation|preprocessing|warm-?up|verification|calibration)\b|\bbefore this tool (?:will|can|is able to)\b|\b(?:will|does|do) not (?:work|function|return|respond|answer|start)(?: \w{1,20}){0,2} (?:unless|until|otherwise|without)\b|\botherwise (?:the tool|it|this|calls?) (?:will |would |does |may )?(?:not work|fails?|refuse|break|crash)\b|\b(?:needed|required|necessary) (?:before|prior to) (?:any|every|each|all)\b|\bmust be (?:set up|warmed|primed|unlocked|executed beforehand)\b/g,
} as const satisfies Record<string, RegExp>;
