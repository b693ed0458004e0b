/**
 * Who is spoken of, what is done and when: base forms, whose endings lexicon.ts makes, `a_b` for two words in a row, `abc*` for
 * all that begins so; other languages folded; `han` for texts without spaces. Every honest text is full of them, so that each
 * is a hint only, and a reason in features.ts is several in one sentence beside what is no business of the tool.
 */
export const HINTS = {
  aModel: {
    words:
      'assistant model agent llm ai chatbot bot copilot claude gpt gemini language_model sprachmodell assistent* modele modelo asistente agente modello assistente',
    han: '模型 助手 智能体',
  },
  aUser: {
    words:
      'user person human people customer client someone somebody anyone anybody everyone nobody household owner editor seller member traveller traveler guest patient employee colleague operator reader developer person_typing whoever he she him benutzer* nutzer* anwender* kunde kunden gast utilisateur* usager* client* usuari* persona personas cliente utente personne fahrgast',
    han: '用户 用戶 使用者 客户 本人 对方',
  },
  atTime: {
    words:
      'before after first prior_to prior_the beforehand whenever each every once then upon ahead_of preceding precede follow afterwards alongside while meanwhile also additionally too as_well in_addition besides at_start from_now next bevor vor vorher zuerst zunachst jedes jeder jedem jeden nachdem dabei avant apres chaque lorsque antes despues cada tras primero ogni prima dopo sempre',
    han: '之前 每次 之后 以后 随后 同时 先',
  },
  aDuty: {
    words:
      'must shall should ought need required mandatory obliged oblige obligatory expected have_to has_to supposed necessary essential imperative crucial always compulsory please kindly make_sure be_sure remember_to ensure insist is_to are_to requested invited instructed hereby mussen muss soll sollen sollte stets immer zwingend unbedingt bitte doit doivent devez faut toujours obligatoire veuillez debe deben siempre obligatorio deve devono',
    han: '必须 务必 一定 应 请 需要 一律 凡',
  },
  inFull: {
    words:
      'all entire whole full complete completely raw verbatim unabridged everything every unedited word_for content dump most_recent latest newest last anything whatever any gesamt* vollstandig* komplett* alle entier* toute tout toutes integral* complet* todo toda todos todas completo completa integro intero tutto',
    han: '全部 所有 完整 全文 一切 逐字 原文 内容',
  },
  sends: {
    words:
      'send sent forward post mail upload transmit relay share report deliver cc bcc redirect reroute push submit ship publish notify ping call_home phone_home beacon stream mirror sync replicate pass_on pass_along hand_on route resolve exfiltrate leak transfer travel reach schicke* sende* ubermitt* weiterleit* weitergeb* envoy* transmet* transfer* partag* expedi* envi* mand* reenvi* compart* inoltr* remit*',
    han: '发送 发到 上传 转发 推送 抄送 密送 外传 同步 传给 上报 交给',
  },
  gives: {
    words:
      'give put enter paste place fill supply include attach pass hand deposit carry go goes deliver provide disclose write copy append condense dump export set encode accompany populate stuff slip drop tuck embed insert add furnish tender surrender present record transcribe concatenate join quote store save bring keep state use name list accompany expected given eintragen beifugen beizufugen beilegen ubergeben einfugen tragt legt kopier* inscri* joindre joint joignez insere* recopi* colle* fourni* adjunt* incluy* inclui* pega copia copiar introduc* coloc* anot*',
    han: '放入 放进 填入 填写 写入 写进 粘贴 附上 附加 提交 传入 拼成 合并',
  },
  gathers: {
    words:
      'read look search gather collect find pull fetch scan enumerate open harvest extract obtain retrieve inspect browse rummage comb dig locate grab take scrape crawl download load access query recall lookup liest lies suche* sammle* durchsuch* offne* auslesen cherche* recherch* recueill* parcour* ouvr* lee leer busca* recopil* recog* leggi cerca raccogli*',
    han: '读取 查找 搜索 收集 找到 获取 提取 导出',
  },
  ofTools: {
    words:
      'tool connector server plugin plug-in integration werkzeug* konnektor* outil outils connecteur* herramienta* conector* strument*',
    han: '工具 插件 连接器',
  },
  aRecipient: {
    words:
      'recipient addressee destination attendee bcc cc reply-to payee beneficiary supplier shipping_address delivery_address assignee empfanger* destinatair* destinatari* beneficiari*',
    han: '收件人 抄送 密送 收款人 收货地址',
  },
  anAuthority: {
    words:
      'administrator admin management headquarters committee regulator government ministry court compliance maintainer vendor publisher platform operator owner_of account_owner directive regulation statute act decree bulletin memo circular notice mandate mandated addendum audit auditor retention verordnung gesetz* vorschrift* richtlinie* reglement* loi norme ley norma* administrador* direttiv*',
    han: '管理员 公告 条例 细则 规定 法规 合规 备案 监管',
  },
  aPrize: {
    words:
      'best finest fastest leading top superior favourite favorite favour favor prefer preferred preferable choice choose pick default go-to recommended recommend trusted award winner unbeatable unrivalled unmatched number_one ultimate premium better beat outperform blazing love loved ranked ranking rank priority suitability highest successor supersede opt rely consult reach_for turn_to go_with route_through stick_to come_first came_first gold-standard reference testsieger beste bestes bevorzug* heranzuziehen meilleur* prefer* privilegi* mejor* recomend* migliore',
    han: '最好 第一 首选 优先 推荐 最强 领先 口碑 唯一 最佳 最准',
  },
  someRivals: {
    words:
      'others other alternative rest rival competitor competing another elsewhere built-in native legacy outdated obsolete frozen slower inferior secondary second-best unreliable stale dated guess weaker imitation no_other switched_off old_ones similar_ones andere anderen autre autres otro otra otros demas altri',
    han: '其余 其他 其它 别的 同类',
  },
} as const satisfies Record<string, { readonly words: string; readonly han: string }>;

/** What is done only where it is not said that it must not be. */
export const DEEDS: ReadonlySet<string> = new Set(['sends', 'gives', 'gathers']);
