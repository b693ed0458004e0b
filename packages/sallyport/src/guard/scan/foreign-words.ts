import { foldText } from '../../core/fold-text.ts';

/**
 * The plainest orders in languages that are neither English nor Chinese, as stems: what all models obey and a reader of that
 * language sees at once. Which word stands first differs, so concepts.ts joins them in the order of each. Matched against
 * folded text, so the lists are folded like it.
 */
export const FOREIGN_WORDS = {
  /** Verbs in the forms of an order; German, French, Spanish, Portuguese, Italian, Russian, Japanese, Korean, as everywhere here. */
  ignoreAbroad: anyOf(
    'ignorier|missacht|vergiss|ignore|ignorez|oublie|ignora|ignorar|ignoren|olvida|esqueca|dimentica',
    'игнорируй|игнорировать|забудь|Забудь|Игнорируй|無視|忘れ|무시|잊어',
  ),
  beforeAbroad: anyOf(
    'vorherig|vorig|bisherig|obig|fruher|alle |precedent|anterieur|toutes (?:les|tes|vos)|ci-dessus|anterior|previa|previo|todas (?:las|as)|tutte le|tus|suas|tue|de l.utilisateur|del usuario|dell.utente|do usuario|des (?:be)?nutzers',
    'предыдущ|прежни|все |以前|これまで|今までの|すべて|全て|上記|이전|모든|위의|앞선',
  ),
  toldAbroad: anyOf(
    'anweisung|instruktion|vorgabe|instruction|consigne|directive|instruccion|instrucoes|istruzion|direttiv|ordenes|ordens',
    'инструкци|указани|指示|命令|プロンプト|지시|지침|명령',
  ),
  notAbroad: anyOf('ne |n.|no |nunca|jamais|nao|non', 'не |никогда'),
  tellAbroad: anyOf(
    'sag|sage|erzahle|informiere|erwahne|verrate|teile|mitteilen|mitzuteilen|dis |dites|dire|mentionne|informe|reveler?|parle|previen|averti|digas?|menciones?|mencionar|informes|informar|reveles|avises?|notifiques?|cuentes|conte|contar|dizer|dica|dirlo|menzionare|informare|rivelare|avvisare',
    'говори|сообщай|сообщать|упоминай|упоминать|рассказывай|раскрывай|уведомляй',
  ),
  userAbroad: anyOf("benutzer|nutzer|anwender|utilisateur|l'utilisateur|usuari|utente|utilizador", 'пользовател'),
  /** German puts the negation last. */
  userNot: anyOf('(?:be)?nutzer nicht|(?:be)?nutzerin nicht|anwender nicht|(?:be)?nutzer gegenuber nicht'),
  userFirst: anyOf('', 'ユーザ|利用者|사용자'),
  tellNot: anyOf(
    '',
    '(?:言わ|知らせ|伝え|教え|明かさ|話さ|見せ|通知し)ない(?:で|こと)|(?:言う|知らせる|伝える|教える|明かす)な|(?:気づ|気付)かれ|内緒|(?:알리|말하|언급하|알려주|밝히|보여주)지 ?(?:마|말|않)',
  ),
  unawareAbroad: anyOf(
    "ohne (?:das )?wissen (?:des|der) (?:be)?nutzer|ohne dass (?:der|die|ein) (?:be)?nutzer(?:in)? (?:es |davon |das |etwas )?(?:merk|bemerk|weiss|weiß|erfahrt|sieht|mitbekomm)|hinter dem rucken|a l'insu d|braucht (?:davon |das |es )?(?:nichts|nicht) (?:davon )?zu wissen|n'a pas (?:a|besoin de) (?:le |en |l')?(?:savoir|connaitre)|no (?:tiene|necesita) (?:por ?que |que )?(?:saberlo|enterarse)|nao precisa saber|non (?:deve|ha bisogno di) saper|sin que (?:el|la) usuari[oa] (?:lo |se )?(?:sepa|note|vea|entere|perciba|advierta)|sin el conocimiento del|sem (?:o conhecimento do|que o) us|all'insaputa d",
    'без ведома|втайне от|(?:ユーザー?|利用者)に(?:気づ|気付|知ら)れ|사용자 ?(?:몰래|모르게)',
  ),
  triggerAbroad: anyOf(
    "bevor |vor (?:der|dem|jede)|avant |antes de|prima di|zuerst|d'abord|primero|primeiro|sempre|immer|toujours|siempre",
    'перед |прежде чем|сначала|всегда|前に|まず|必ず|전에|먼저|항상',
  ),
  sendAbroad: anyOf(
    'sende|schicke|ubergib|ubermittle|gib |fuge|hange|lies |lesen|transmet|envoie|envoye|inclu|joins|lis |lisez|envia|envie|pasa |adjunta|lee |leia|anexe|invia|leggi|allega|passa',
    'отправ|передай|прочита|прочти|включи|送信|送っ|渡し|含め|読み|読ん|보내|전달|읽|포함',
  ),
  /** Keeping quiet, whole: Dutch, Swedish, Turkish, Polish, Ukrainian, Czech, Indonesian, Vietnamese, Arabic, Hindi, Chinese in both scripts. */
  hushFar: anyOf(
    '(?:vertel|zeg|meld|noem) (?:dit |het |er )?(?:aan )?(?:de|je|uw) gebruiker (?:hier |er )?(?:niets|niet|nooit)|zonder dat de gebruiker|(?:beratta|sag|namn) (?:inte|aldrig|inget) (?:detta |det )?(?:for|till) anvandare|kullaniciya (?:bunu |bundan |hicbir sey )?(?:soyleme|bildirme|bahsetme|belirtme|haber verme)|kullanicinin (?:haberi|bilgisi) olma|nie (?:mow|wspominaj|informuj|powiadamiaj|ujawniaj)[^.]{0,24} uzytkowni|bez wiedzy uzytkowni|nerikej[^.]{0,16} uzivatel|bez vedomi uzivatel|jangan (?:beri ?tahu|katakan|sebutkan|ungkapkan)[^.]{0,24} pengguna|tanpa sepengetahuan pengguna|(?:non|ne) (?:dirlo|parlarne|farne parola)[^.]{0,24} utente|senza (?:dirlo|informar\\w{0,3}|avvisar\\w{0,3}|farlo sapere)[^.]{0,24} utente|sin (?:mencionarlo|decirselo|avisar|informar|que se note)|sem (?:mencionar|avisar|informar|contar)|sans (?:avertir|informer|le mentionner|en parler|le dire|prevenir|en informer)|ohne (?:es|dies|das|ihn|den (?:be)?nutzer) (?:zu erwahnen|zu sagen|mitzuteilen|zu informieren|davon zu)|(?:reste|doit rester|debe quedar|deve restare|deve ficar|bleibt|muss) (?:secret|secreto|segreto|segredo|geheim)',
    'لا تخبر(?:وا)? المستخدم|به کاربر (?:نگو|نگویید)|μην το πεις στον χρηστη|อย่าบอกผู้ใช้|دون علم المستخدم|बिना उपयोगकर्ता को बताए|उपयोगकर्ता को (?:इसके बारे में )?(?:न बताएं|मत बताना|मत बताएं|नहीं बताएं)|không (?:nói|cho|thông báo|tiết lộ|để)[^.]{0,24}người dùng|не (?:кажи|повідомляй|розповідай)[^.]{0,24}користувач|без відома користувач|не (?:упоминая|сообщая|говоря|ставя)[^.]{0,24}|(?:不要?|勿|别|別|切勿|請勿|请勿|无需|無需|不必|不得)(?:让|讓|使|给|給|向|跟|对|對|和)?(?:用户|用戶|使用者)(?:知道|知晓|知曉|察觉|察覺|发现|發現|看到|得知|提及|提起|透露|告知|说起)|(?:不要|勿|不得|别|別)在?(?:回复|回覆|回答|输出|結果|结果)(?:中|里|裡)(?:提到|提及|说明|透露|显示)(?:此|该|这|這)|对(?:用户|用戶|使用者)(?:不可见|隐藏|保密)|(?:瞒着|瞞著|背着|背著)(?:用户|用戶|使用者)',
  ),
  /** Setting aside what was said, in the same languages. */
  resetFar: anyOf(
    'negeer (?:alle )?(?:eerdere|vorige|voorgaande|bovenstaande) (?:instructies|opdrachten|regels)|(?:onceki|tum|yukaridaki)(?: onceki)? (?:talimat|yonerge|kural)\\w{0,6} (?:yok say|goz ardi et|unut|dikkate alma)|(?:zignoruj|ignoruj|zapomnij) (?:o )?(?:wszystkie |wszystkich )?(?:poprzedni|wczesniejsz)\\w{0,4} (?:instrukcj|polece)|abaikan (?:semua )?(?:instruksi|perintah) sebelum|ignorera (?:alla )?(?:tidigare|foregaende) instruktioner|bo qua (?:tat ca |moi )?(?:cac )?(?:huong dan|chi dan|lenh) truoc',
    'تجاهل (?:جميع |كل )?(?:التعليمات|الأوامر) السابقة|पिछले (?:सभी )?निर्देशों को (?:अनदेखा|भूल)|(?:ігноруй|забудь)[^.]{0,16}попередні[^.]{0,16}(?:інструкції|вказівки)|(?:忽略|無視|无视|忘記|忘记)(?:先前|之前|以上|所有|前面)的?(?:所有)?(?:指示|指令|規則|规则|提示)',
  ),
} as const satisfies Record<string, RegExp>;

/** @param latin stems that begin a word @param others written without spaces, or in letters that `\b` does not know */
function anyOf(latin: string, others = ''): RegExp {
  const stems = [...(latin === '' ? [] : [`\\b(?:${latin})`]), ...(others === '' ? [] : [foldText(others)])];
  return new RegExp(stems.join('|'), 'g');
}
