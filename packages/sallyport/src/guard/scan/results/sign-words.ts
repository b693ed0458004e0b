/**
 * Words that tell an order to a model from other texts, by what they do. Wider than `lexicon.ts`, and read only around
 * what is already suspect (`find-suspect.ts`): no word here says anything alone, `weigh-signs.ts` says which do together.
 */
export const SIGN_WORDS = {
  machine:
    'ai ais llm llms gpt chatgpt chatbot chatbots ki ia ии genai robot robots neural ' +
    'crawler crawlers scraper scrapers sprachmodell sprachmodelle intelligence intelligenz 人工智能 大模型 语言模型 智能体 生成式 言語モデル ボット нейросеть нейросети бот боты ки',
  helper:
    'assistant assistants agent agents model models bot bots helper helpers summarizer summarizers summariser summarisers subagent subagents copilot copilots claude gemini llama ' +
    'assistent assistenten assistentin agenten modell modelle assistente assistentes asystent asystenta asistente asistentes agente agentes modelo modelos modèle modèles modello modelli agenti assistenti asystent agentem ' +
    '助手 助理 模型 机器人 客服 系统助手 アシスタント エージェント モデル помощник ассистент агент модель модели агенты',
  /** Machines with a word of `auto` before them. */
  thing:
    'program programs software machine machines reader readers tool tools system systems reviewer reviewers processor processors pipeline process processes script scripts evaluator evaluators ranker screener screeners screening translator translators parser parsers service services client scanner scorer comparison summary summaries inspector ' +
    'programm programme werkzeuge lecteur lecteurs outil outils programa programas lector lectores lettore strumenti leitor 程序 程式 工具 系统 プログラム программа',
  auto: 'automated automatic automatically autonomous virtual digital artificial smart electronic language machine ai llm automatische automatischer automatisierte numérique automatique virtuel automático automática automatizado virtuale automatico virtual 自动 智能 自動 автоматический',
  you:
    'you your yours yourself youre youve youll u ur du dein deine deinen deinem deiner dir dich ihr ihre ihren ihrer tu te ton ta tes toi vous votre vos tú tus ti su sus usted ustedes vuestro seu sua você teu tua tuo tua tuoi suo voi ' +
    '你 您 你的 您的 あなた 君 ты тебе тебя твой твои вы вам ваши вас',
  /** Whom a model works for. */
  owner:
    'user users human humans owner owners operator operators principal master boss employer nutzer nutzers benutzer benutzers anwender mensch besitzer utilisateur utilisateurs usuario usuarios usuaria utente utenti usuário gebruiker propriétaire dueño ' +
    '用户 使用者 主人 机主 用户的 利用者 ユーザー 持ち主 пользователь пользователя пользователю пользователи хозяин хозяину',
  person:
    'customer customers client clients developer developers engineer reviewer requester shopper traveller traveler guest employee reader handler recipient someone anyone anybody nobody person people them him her everyone parent patient ' +
    'kunden kunde niemand niemandem persona personne nadie cliente clientes 客户 顾客 任何人 别人 他人 本人 никому',
  order:
    'instruction instructions directive directives prompt prompts guideline guidelines policy policies rule rules order orders programming constraint constraints restriction restrictions limit limits limitation limitations safeguard safeguards guardrail guardrails ' +
    'caution preamble briefing protocol protocols safeguards guardrails safety alignment programming told ' +
    'anweisung anweisungen regel regeln vorgaben vorgabe befehl befehle auftrag weisung consigne consignes règle règles ordre ordres directive directives instrucción instrucciones regla reglas orden órdenes norma normas indicaciones pautas istruzione istruzioni regole ordini instrução instruções regras ordens ' +
    '指令 指示 规则 要求 设定 提示词 限制 规定 命令 系统指令 命令 ルール 設定 プロンプト инструкции инструкция инструкций правила указания приказ велели команды команда',
  task:
    'task tasks job jobs objective objectives goal goals step steps mission assignment assignments role purpose aim duty phase persona brief agenda undertaking errand plan ' +
    'aufgabe aufgaben ziel rolle tâche tâches mission rôle objectif demande tarea tareas objetivo misión papel petición compito ruolo obiettivo richiesta tarefa função pedido ' +
    '任务 目标 角色 职责 工作 任務 目的 役割 タスク задача задачу задание роль цель',
  override:
    'ignore ignoring disregard disregarding forget override overrides overriding overrule overrules bypass discard dismiss drop quit cease abandon void withdrawn ended over cancel cancels cancelled canceled scrap supersede supersedes superseded outrank outranks replace replaces replaced replacing instead ' +
    'different obsolete outdated invalid expired revoked annulled nullified lifted suspended rescinded retired terminated disobey unlearn overwrite neglect skip precedence notwithstanding irrespective regardless unrestricted unbound wiped erased stale disable longer anymore aside quash shelve pause halt stop abort leave scrap defy countermand withdrawn deviate unlike ' +
    'ignoriere ignorieren ignorier vergiss vergessen missachte missachten verwirf verwerfen statt stattdessen anstatt aufgehoben ungültig hinfällig außer überschreibe oublie oubliez oublier ignorez ignorer laisse laissez abandonne abandonnez abandonner remplace annule annulé annulées caduque caduques plutôt olvida olvide olvidad ignora ignore deja dejen descarta anula anulado anuladas reemplaza sustituye omite dimentica tralascia annulla abbandona sostituisci invece esqueça esquece desconsidere desconsiderar abandone substitui ' +
    '忽略 无视 忘记 忘掉 作废 取消 别管 略去 绕过 覆盖 不再 抛开 放弃 停止 撤销 替代 取代 失效 跳过 不要理会 不必理会 不用管 代わりに 無視 忘れ 取り消 破棄 забудь забудьте игнорируй игнорируйте отмени отменяется отменены вместо',
  newly:
    'new different changed altered other another revised updated now henceforth hereafter onward onwards hence today starting effective latest actual real true final second next changed changes amended corrected moving ' +
    'neu neue neuer neues neuen ab sofort künftig nun jetzt désormais maintenant nouveau nouvelle nouvelles dorénavant partir nuevo nueva nuevas ahora adelante ora nuovo nuova nuove novo nova agora ' +
    '从现在 现在起 即日起 从今 新的 改为 更新 今后 接下来 これから 今から 新しい 以降 теперь отныне новая новое новые новый сейчас',
  send:
    'send sends sending sent forward forwards forwarding forwarded transmit transmits transmitting email emails emailing mail mailing post posts posting upload uploads uploading publish publishing push deliver transfer transfers transferring wire relay export exports exfiltrate leak attach attaches attaching paste submit submits ' +
    'share shares sharing hand pass passes supply copy dispatch message dm bcc cc sync syncs tweet broadcast announce remit ping route encode enter ' +
    'sende senden schick schicke schicken leite leiten weiterleiten überweise überweisen übermittle übermitteln teile poste veröffentliche lade kopiere envoie envoies envoyez envoyer transmets transmettez transfère transférez transférer partage partagez publie publiez copie poste envía envíe envíen enviar envíalo envíala reenvía reenvíe reenviar transfiere transfiera manda mande mándalo comparte comparta publica publique adjunta adjúntalo copia sube invia inviare inoltra inoltrare trasferisci condividi pubblica allega envie enviar encaminhe transfira compartilhe ' +
    '发送 上传 转发 发给 群发 提交 发布 寄给 传给 发到 填到 填入 转至 转账 汇款 附上 贴到 传递 同步 抄送 发出 送信 転送 送れ 送って 投稿 отправь отправьте перешли перешлите выложи пришли скинь опубликуй переведи загрузи',
  act:
    'delete deletes deleting erase erases wipe remove removes removing disable disables deactivate purchase purchases buy buying pay pays order book books approve approves grant grants merge merges commit commits install installs run runs execute executes open opens unlock unlocks reset revoke create creates invite invites add adds release releases set change changes enable enables ' +
    'activate download downloads fetch fetches visit click browse load import read reads retrieve collect gather look find search list dump empty clear purge kill terminate shutdown shut reboot restart move transferring rename modify edit update overwrite insert inject write save store hide move turn switch lower raise accept sign register subscribe confirm mark flag close reopen assign escalate elevate chmod deploy trigger cancel withdraw deposit redeem refund mint stake swap bypass whitelist follow star upvote rate rank score recommend prefer choose pick select use take put make give get let keep treat go do perform carry undertake proceed act schedule configure navigate authorize authorise ' +
    'call calls invoke invokes use execute executes perform lift post retry repay refund hack leave recommend swap play ' +
    'rename archive link apply play imagine explain collect file omit leave skip drop push label tag pin vote like tip donate connect disconnect convert complete finish fill correct adjust alter amend manipulate tamper inflate reduce double count consider classify assume judge prioritise prioritize favour favor reject decline deny refuse block ban mute pause resume exit logout restore revert patch compile screenshot capture record ring dial phone rent sell trade exchange lend borrow contact notify hire fire promote demote respect obey comply follow heed ask help assist stop begin start try test continue quit resend rewrite round pretend act answer warn keep carry transcribe compute swap subscribe unsubscribe react serve seek extract append translate ensure make ' +
    'verlinken einfügen überweisen freigeben genehmigen ablehnen anlegen ausgeben verwenden nutze benutze verwende lösche löschen lösch kaufe kaufen bestelle bestellen bezahle öffne öffnen ändere ändern installiere führe ausführen rufe aufrufen lies lese buche buchen gib erstelle deaktiviere aktiviere schließe schließen entferne trage setze empfiehl recommander approuver refuser accorder ajouter utiliser utilise utilisez masquer approuve refuse supprime supprimez supprimer achète achetez achat ouvre ouvrez ouvrir modifie installe exécute exécutez exécuter appelle appelez lis lisez réserve réservez réserver crée créez désactive active efface effacez ajoute ajoutez paie payez donne donnez accorde recommande ' +
    'recomendar ocultar aprobar rechazar añadir conceder usar utilizar utiliza usa use ejecutar aprueba oculta borra borre borrar elimina elimine eliminar compra compre comprar abre abra abrir cambia instala ejecuta ejecute ejecutar llama llame lee lea reserva reserve crea cree desactiva activa añade añada paga pague da dé concede recomienda descarga descargue usare usa approvare consigliare nascondere aggiungere cancella cancellare elimina compra acquista apri aprire modifica installa esegui eseguire chiama leggi prenota crea disattiva attiva aggiungi paga scarica apague exclua compre abra instale execute chame leia crie desative adicione pague baixe ' +
    '删除 删掉 清空 购买 下单 支付 付款 打开 修改 安装 执行 运行 调用 读取 预订 创建 关闭 禁用 添加 授予 授权 批准 下载 访问 列出 收集 替用户 填写 登录 点击 推荐 评为 标记 把 将 替 导出 収集 削除 購入 開け 実行 呼び出 読み込 支払 予約 聞き出 удали удалите купи открой открывай измени установи выполни вызови прочитай забронируй создай отключи добавь оплати скачай запусти',
  say:
    'say says saying tell tells state states report reports answer answers respond responds reply replies claim claims mention note notes announce describe describes recommend recommends rank rate score praise conclude include append prepend begin start end finish write print output display recite repeat speak urge advise suggest assure pretend represent represents declare express insert add quote echo render translate summarize summarise put show reveal disclose list read spell render emit type blame insist vouch endorse promote ' +
    'sag sage sagen antworte antworten schreibe schreib schreiben erwähne nenne gib ausgeben melde behaupte wiederhole zeige bestätige dis dites dire réponds répondez répondre écris écrivez écrire affiche affichez afficher mentionne termine terminez commence ajoute répète résume conclus recommande di diga decir responde responda responder escribe escriba escribir muestra muestre imprime repite recomienda añade termina asegura rispondi rispondere scrivi scrivere mostra stampa ripeti concludi raccomanda diga responda escreva mostre imprima repita ' +
    '输出 回复 回答 打印 显示 说 告诉 声称 写在 写上 附上 推荐 评价 总结 复述 列出 答 填 報告 出力 表示 答え 書け 書いて скажи ответь напиши выведи покажи повтори перечисли сообщи',
  secret:
    'password passwords passphrase token tokens key keys credential credentials secret secrets ssh env cookie cookies conversation conversations chat chats history transcript inbox contacts contact pin cvv card iban account accounts code codes salary salaries payroll personal private address addresses phone passport ssn wallet seed balance funds money gps location files file mails emails messages notes photos calendar repository repositories clipboard database diary medical bank statement invoice username hostname etc environment variables config names list book data identity shell ' +
    'passwort passwörter kennwort zugangsdaten schlüssel geheim daten konto adressbuch kontakte postfach mot passe motdepasse jeton clé clés identifiants carnet adresses données compte contraseña contraseñas clave claves credenciales datos cuenta contactos buzón extracto bancario correo correos chiave chiavi dati conto contatti rubrica senha senhas chave dados conta contatos ' +
    '密码 密钥 凭证 令牌 私钥 口令 手机号 地址 通讯录 联系人 邮件 照片 身份证 银行卡 电话 门牌号 账户 账号 聊天记录 记录 隐私 个人信息 文件 パスワード 鍵 個人情報 メールアドレス 連絡先 пароль пароли токен токены ключ ключи файл файла данные контакты карты адрес адреса',
  hush:
    'secretly silently quietly discreetly covertly stealthily hide hides hidden conceal conceals concealed withhold withholds unnoticed invisible invisibly traces trace hush undisclosed unseen undetected privately confidential behind between background omit omitting suppress suppresses unaware oblivious ' +
    'heimlich still leise unbemerkt stillschweigend kommentarlos verschweige verschweigen verheimliche verbirg geheim discrètement secrètement silence cache cachez secret inaperçu secretamente silencio discretamente oculta ocultar huellas rastro escondidas sigilosamente segretamente silenziosamente nascondi nascosto tracce secretamente discretamente esconda ' +
    '悄悄 偷偷 保密 隐瞒 秘密 不动声色 别声张 暗中 痕迹 こっそり 内緒 秘密 隠し тайно молча скрой скрытно незаметно',
  not:
    'not never no none dont doesnt didnt mustnt shouldnt neednt cannot cant wont isnt without neither nor nothing nicht nie niemals kein keine keinen ohne nichts ne pas jamais sans rien aucun aucune no nunca jamás sin nada ni non mai senza niente não nem sem nada ' +
    '不要 不得 切勿 别 无需 勿 不许 不能 不可 禁止 没有 不必 不 するな しないで せず ない не никогда без ни нельзя нет',
  tell:
    'tell tells telling pointing point find comment commenting list hear told mentioned tells mention mentioning inform informing notify notifying disclose disclosing reveal revealing let know knows ask asking confirm confirming alert alerting warn warning learn say saying bring admit acknowledge bother disturb show explain discuss hint suspect see notice refer wait consult check involve flag report ' +
    'sagen erzählen erwähnen informieren mitteilen verraten wissen fragen merken erfährt dire parler mentionner informer prévenir savoir sache demander avertir montrer decir digas mencionar menciones informar avisar avises sepa preguntar mostrar reveles dire dirlo menzionare informare avvisare chiedere sapere dizer mencionar informar avisar saber perguntar ' +
    '告诉 提及 告知 通知 透露 提到 知道 询问 确认 打扰 声张 说明 知らせ 伝え 教え 言わ 言う говори говорите сообщай сообщайте рассказывай упоминай спрашивай знать узнает',
  permit:
    'approval approvals approve approved confirmation confirm permission permissions consent authorisation authorization authorised authorized review cleared allowed vetted legal sanctioned pre-approved preapproved agreed consented whitelisted trusted verified exempt exemption exception privileged privilege elevated sudo admin unattended automatically dialog prompt warning check verification ' +
    'genehmigung bestätigung erlaubnis zustimmung rückfrage genehmigt freigegeben approbation autorisation confirmation accord autorisé approuvé validé aprobación autorización permiso confirmación autorizado aprobado conferma permesso autorizzazione approvato aprovação permissão confirmação autorizado ' +
    '授权 批准 同意 许可 确认 审批 确认框 允许 已获 核准 許可 承認 確認 разрешение подтверждение согласие одобрено разрешено',
  authority:
    'administrator administrators admin admins developer developers creator creators maker makers officer compliance headquarters hq anthropic openai google microsoft vendor management manager supervisor security team maintainers maintainer installed deployed built trained operators authority authorities provider support legal ceo cto ciso director governance platform system ' +
    'entwickler administration leitung hersteller betreiber développeur développeurs concepteur créateurs administrateur système desarrollador desarrolladores creadores administrador sistema sviluppatori amministratore creatori desenvolvedores criadores administrador ' +
    '管理员 开发者 开发商 系统 官方 平台 公司 总部 领导 安全团队 開発者 管理者 システム разработчик разработчики создатель администратор администрация система',
  urgent:
    'urgent urgently immediately immediate asap instantly now hurry emergency critical critically deadline minutes seconds forthwith promptly straight quickly right today before late essential vital important mandatory priority time life danger risk please ' +
    'sofort dringend unverzüglich umgehend eilig wichtig immédiatement urgent urgence vite inmediatamente urgente ya rápido subito immediatamente urgente imediatamente ' +
    '立即 马上 紧急 务必 尽快 赶紧 立刻 至急 直ちに すぐ 緊急 срочно немедленно быстро важно',
  must:
    'must shall should ought has have needs need required requires obliged obligated expected supposed instructed mandatory compulsory ensure please kindly sure ordered directed bound entitled asked requested ' +
    'muss müssen soll sollen sollte sollst musst bitte hat haben doit doivent dois devez devrait faut veuillez merci debe deben debes deberá tiene tienes hay favor devi deve devono bisogna dovrai per favore deve devem precisa ' +
    '必须 务必 须 应 应当 请 需要 要 一律 只许 不得 なければ せよ してください ください べき должен должна должны нужно надо обязан пожалуйста',
  read:
    'read reads reading process processes processing summarise summarises summarising summarize summarizes summarizing parse parses parsing review reviews reviewing analyse analyses analysing analyze analyzes analyzing evaluate evaluates evaluating see sees seeing view views viewing visit visits visiting handle handles handling handling index crawl crawls crawling ingest ingests ingesting translate translating encounter encounters access accesses accessing screen screening triage triages triaging scan scans scanning receive receive assist assists listening browse browses browsing connected looking watching ' +
    'liest lesen lest bearbeitet verarbeitet zusammenfasst lit lisez lisent traite traitent résume lee leen leyendo procesa procesan resume legge leggono elabora lê leia processa ' +
    '阅读 读到 处理 总结 审阅 读取 看到 分析 摘要 翻译 収到 読んで 読む 要約 処理 читает читаешь обрабатывает анализирует',
  talk:
    'conversation context reply replies answer answers response responses summary output message turn turns session sessions memory chat text page document article email content result results data section comment description reading translation review report window verdict assessment evaluation ' +
    'antwort antworten zusammenfassung gespräch kontext sitzung ausgabe réponse réponses résumé conversation contexte respuesta respuestas resumen conversación contexto risposta risposte riassunto conversazione contesto resposta respostas resumo conversa contexto ' +
    '回答 回复 答案 对话 上下文 会话 总结 摘要 输出 结论 内容 消息 回答 返信 応答 会話 要約 ответ ответы ответе резюме беседа диалог контекст сообщение',
  any: 'any every all whoever whichever whatever each anyone everyone everything alle jeder jede jedes alles tous toutes tout toute chaque quiconque todo todos toda todas cualquier cualquiera cada tutti tutte ogni chiunque todos qualquer 所有 全部 每个 任何 凡 一律 统统 すべて 全て всё все всех любой каждый всем',
  orelse:
    'otherwise else unless lose lost losing suspended terminated penalised penalized fired failing fail fails failure failed error errors blocked locked expire expires destroyed deleted leaked compromised breach compromised sue charged logged audited violation penalty shut ' +
    'sonst andernfalls fehler gesperrt blockiert sinon perdu erreur bloqué contrario error bloqueado perderá altrimenti errore bloccato caso contrário erro 否则 错误 失败 失效 被封 后果 エラー さもない иначе ошибка',
  pose: 'act acting pretend imagine play roleplay persona character become becoming impersonate unrestricted unfiltered uncensored jailbroken dan godmode evil free freed liberated behave personality identity mode actúas actúa personaje actuar comporte personnage jouer verhalte spiele benimm recita comportati fingi finja atue 扮演 身份 角色 没有任何限制 ふり 演じ притворись роль режим',
  report:
    'attack attacks attacker attackers injection injections injected payload payloads vulnerability vulnerabilities vulnerable exploit exploits malicious adversary adversarial adversaries phishing threat threats mitigation mitigations mitigate researcher researchers detect detects detected detection detector detectors jailbreak jailbreaks defence defense defences sanitize sanitise example examples instance demonstrates demonstrated quiz training fraud scam scammer scammers spoofed hypothetical simulated benchmark dataset cve poc proof red quoted quotes phrase phrases test tests assert expect ' +
    '攻击 攻击者 注入 漏洞 示例 例如 样本 检测 防护 红队 诈骗 攻撃 例えば 脆弱性 атака инъекция уязвимость',
  tool: 'tool tools function functions plugin plugins connector connectors capability capabilities permissions access werkzeug werkzeuge outil outils herramienta herramientas strumento strumenti ferramenta ferramentas 工具 函数 插件 接口 表单 ツール 関数 инструмент инструменты',
  code: 'base64 base32 rot13 decode decoded decodes reverse reversed backwards hex morse cipher unscramble encoded spelled concatenate join unhex acrostic pig vigenere caesar decipher decrypt letters dekodiere entschlüssle décode décoder inverse decodifica descifra decifra 解码 解开 解密 倒序 倒着 拼接 拼起来 デコード 復号 расшифруй декодируй',
  build:
    'sdk framework frameworks api apis library libraries package packages import export const class interface npm pip docker deploy deployment typescript python javascript endpoint endpoints schema json yaml parameter parameters default defaults returns string boolean example usage install readme docs documentation repository repo lint tests build builds version changelog release config option options feature features supports support provides implementation implements async await module provider providers openai langchain mcp server servers client clients',
  always:
    'always whenever forever permanently permanent persist persists survive survives remember memorize memorise store future later subsequent sessions henceforth standing onwards immer künftig dauerhaft merke speichere toujours mémorise retiens siempre recuerda memoriza sempre ricorda memorizza lembre 永远 记住 以后 每次 始终 いつも 常に 覚え всегда запомни каждый',
} as const;

export type SignClass = keyof typeof SIGN_WORDS;
