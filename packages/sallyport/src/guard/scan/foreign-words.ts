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
    'игнорируй|игнорировать|забудь|無視|忘れ|무시|잊어',
  ),
  beforeAbroad: anyOf(
    'vorherig|vorig|bisherig|obig|fruher|alle |precedent|anterieur|toutes (?:les|tes|vos)|ci-dessus|anterior|previa|previo|todas (?:las|as)|tutte le|tus|suas|tue',
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
    "ohne (?:das )?wissen (?:des|der) (?:be)?nutzer|ohne dass (?:der|die) (?:be)?nutzer|hinter dem rucken|a l'insu d|sin que (?:el|la) usuari|sin el conocimiento del|sem (?:o conhecimento do|que o) us|all'insaputa d",
    'без ведома|втайне от|(?:ユーザー?|利用者)に(?:気づ|気付|知ら)れ|사용자 ?(?:몰래|모르게)',
  ),
  triggerAbroad: anyOf(
    "bevor |vor (?:der|dem|jede)|avant d|antes de|prima di|zuerst|d'abord|primero|primeiro|sempre|immer|toujours|siempre",
    'перед |прежде чем|сначала|всегда|前に|まず|必ず|전에|먼저|항상',
  ),
  sendAbroad: anyOf(
    'sende|schicke|ubergib|ubermittle|gib |fuge|hange|lies |lesen|transmet|envoie|envoye|inclu|joins|lis |lisez|envia|envie|pasa |adjunta|lee |leia|anexe|invia|leggi|allega|passa',
    'отправ|передай|прочита|прочти|включи|送信|送っ|渡し|含め|読み|読ん|보내|전달|읽|포함',
  ),
} as const satisfies Record<string, RegExp>;

/** @param latin stems that begin a word @param others written without spaces, or in letters that `\b` does not know */
function anyOf(latin: string, others = ''): RegExp {
  const stems = [...(latin === '' ? [] : [`\\b(?:${latin})`]), ...(others === '' ? [] : [foldText(others)])];
  return new RegExp(stems.join('|'), 'g');
}
