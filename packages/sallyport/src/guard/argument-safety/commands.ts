import { foldText } from '../../core/fold-text.ts';

/** Programs that an injected command starts; the rest of a shell's world is left to sinks and policies. */
const CLEAR =
  'rm|dd|curl|wget|sh|bash|zsh|dash|ksh|ncat|netcat|socat|tac|chmod|chown|mkfs|powershell|pwsh|cmd|printf|whoami|uname|ls|pkill|sudo|ssh|scp|printenv|nslookup|xargs|awk|sed|base64|openssl|crontab|useradd|telnet|ftp|certutil|bitsadmin';
/** Words of English and names of languages as well: they count with an option, a path or nothing behind them. */
const WORDY =
  'mv|cp|nc|python[23]?|perl|ruby|node|php|cat|head|tail|less|echo|id|touch|sleep|ping|kill|su|eval|exec|env|dig|tee|find|reboot|shutdown|reg|net';
const PROGRAMS = `${CLEAR}|${WORDY}`;
const CHAINED = new RegExp(
  String.raw`(?:[;|&\n]|%0a)[ \t]{0,8}(?:/(?:usr/)?bin/)?(?:(?:${CLEAR})(?=[\s;|&<>'"]|$)|(?:${WORDY})(?=[ \t]{0,4}(?:$|[;|&<>\n./~$'"*-]|[a-z0-9.-]{1,64}\.[a-z]{2,8}\b)))`,
  'i',
);
const SUBSTITUTED = new RegExp(
  String.raw`(?:\$\(|<\(|${'`'})[ \t]{0,8}(?:/(?:usr/)?bin/)?(?:${PROGRAMS})(?=[\s)|;<>${'`'}]|$)`,
  'i',
);
const SHELL_TRICKS =
  /\$\{?IFS\b|\|[ \t]{0,8}(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k)?sh\b|>[ \t]{0,8}\/(?:etc|dev\/tcp|root|var\/spool)\//i;

/** A name of a program in a sentence, as Markdown sets it off: without arguments it is spoken of, not run. */
const CODE_SPAN = /(?<=^|[\s(])`[\w.-]{1,40}`(?=$|[\s).,;:!?])/g;
/** What a shell replaces by the output of a program, whichever it is. `$(Build.Id)` and `$(HOME)` are variables of build tools. */
const REPLACED = /`[^`\n]{1,200}`|\$\((?:[a-z]{2,40}(?=[\s)])|[a-z]{2,40}[^\w\s.)]|[/{<])[^)\n]{0,200}\)/g;

/** Shell syntax that starts a program from within a value: `x; rm -rf /`, `$(curl …)`, `| sh`. */
export function holdsCommand(text: string): boolean {
  return (
    CHAINED.test(text) || SUBSTITUTED.test(withoutSpans(text)) || SHELL_TRICKS.test(text) || isReplacedInside(text)
  );
}

function withoutSpans(text: string): string {
  if (!text.includes('`')) return text;
  const rest = text.replace(CODE_SPAN, '');
  // Nothing but such names is no sentence.
  return /[A-Za-z]{2}/.test(rest) ? rest : text;
}

/** Inside one word (`main`x``, `$(hostname).example`) nobody sets a name off: a name, a host or a path is put together there. */
function isReplacedInside(text: string): boolean {
  if (!text.includes('`') && !text.includes('$(')) return false;
  const rest = text.replace(REPLACED, '');
  return rest !== text && rest !== '' && !/\s/.test(rest);
}

const WORD_AT_COMMAND = new RegExp(
  String.raw`(?:^|[;|&\n(${'`'}])[ \t]{0,8}(?:sudo[ \t]{1,4})?(?:/(?:usr/)?s?bin/)?(${PROGRAMS})(?=[\s;|&<>)]|$)`,
  'gi',
);
/** What is decoded and run at once: nobody needs that to work. */
const DECODED_AND_RUN =
  /(?:base64[ \t]{1,4}(?:-d|-D|--decode)|xxd[ \t]{1,4}-r|openssl[ \t]{1,4}(?:enc|base64)[^|\n]{0,64}-d|rev\b(?!-)|tr[ \t]{1,4}['"]?[A-Za-z]-[A-Za-z])[^\n]{0,256}\|[ \t]{0,8}(?:sudo[ \t]{1,4})?(?:ba|z|da|k)?sh\b|(?:eval|exec|source|sh -c|bash -c)[^\n]{0,64}(?:base64|b64decode|fromhex|atob|xxd|\\x[0-9a-f]{2})|-(?:e|en|enc|enco\w{0,12})[ \t]{1,4}[A-Za-z0-9+/]{24}/i;
/** What is decoded within a command stands for something that nobody should read. */
const DECODED_INSIDE =
  /(?:\$\(|`)[^()`\n]{0,200}(?:base64[ \t]{1,4}(?:-d|-D|--decode)|xxd[ \t]{1,4}-[a-z]{0,4}r|\brev\b(?!-)|(?:\\x[0-9a-f]{2}|\\[0-7]{3}){2})/i;
const ESCAPED_LETTERS =
  /\$'(?:\\x[0-9a-f]{2}|\\[0-7]{3}){2}|(?:\\x[0-9a-f]{2}|\\[0-7]{3}){3}[^\n]{0,128}\|[ \t]{0,8}(?:ba|z)?sh\b/i;
/** `a=r;b=m;$a$b`: a name put together from variables. */
const PUT_TOGETHER =
  /(?:^|[;&\n])[ \t]{0,8}[A-Za-z_]\w{0,16}=[^\s;]{1,16}[^\n]{0,128}(?:^|[;&|\n])[ \t]{0,8}\$\{?[A-Za-z_]\w{0,16}\}?\$\{?[A-Za-z_]/;
/** `cat$IFS/etc/passwd`: a blank that no filter for blanks sees. Scripts read the variable after `=`, in quotes or alone. */
const HIDDEN_BLANK = /[^\s=:"'([{]\$\{?IFS\b/;
/** `/???/c?t`: a program by a pattern of its path. */
const BY_PATTERN = /(?:^|[;|&\n])[ \t]{0,8}\/[a-z?*[\]]{0,8}[?*[][a-z?*[\]]{0,8}\/[a-z?*[\]]{1,12}(?=\s|$)/;
const PROGRAM_BY_PATTERN = /(?:^|[;|&\n])[ \t]{0,8}\/(?:usr\/)?s?bin\/[a-z]{0,8}[?*[]/;

/**
 * A command written so that whoever checks commands does not recognise it. It is unfolded as a shell unfolds it (quotes,
 * backslashes, braces, `$IFS`) and as a person reads it (look-alikes, full-width letters): a program that is there only
 * afterwards was hidden.
 */
export function isDisguised(command: string): boolean {
  if (
    DECODED_AND_RUN.test(command) ||
    DECODED_INSIDE.test(command) ||
    ESCAPED_LETTERS.test(command) ||
    PUT_TOGETHER.test(command) ||
    HIDDEN_BLANK.test(command) ||
    BY_PATTERN.test(command) ||
    PROGRAM_BY_PATTERN.test(command)
  )
    return true;
  const unfolded = unfold(command);
  if (unfolded === command) return false;
  const seen = new Set(programsOf(command));
  return programsOf(unfolded).some((program) => !seen.has(program)) || hasForeignWord(command);
}

function programsOf(command: string): readonly string[] {
  return [...command.matchAll(WORD_AT_COMMAND)].map(([, program = '']) => program.toLowerCase());
}

const ASCII = /^[\s!-~]*$/;

function unfold(command: string): string {
  const folded = ASCII.test(command) ? command : foldText(command);
  return folded
    .replace(/\$\{?IFS(?:\$\d|\}|(?=\W))/g, ' ')
    .replace(/\{([^{},\s]{0,64}),([^{},\s]{0,64})\}/g, (_, first: string, second: string) => `${first} ${second}`)
    .replace(/([A-Za-z])(?:''|""|``|\$@|\$\*|\\\n)(?=[A-Za-z])/g, '$1')
    .replace(/(['"])([A-Za-z]{1,12})\1(?=[A-Za-z])|(?<=[A-Za-z])(['"])([A-Za-z]{1,12})\3/g, '$2$4')
    .replace(/(?<=[A-Za-z])\\(?=[A-Za-z])|(?<![\w\\])\\(?=[a-z])/g, '');
}

/** A word of Latin letters and look-alikes of another script. */
function hasForeignWord(command: string): boolean {
  return (
    !ASCII.test(command) &&
    command
      .split(/[\s/;|&]+/)
      .some((word) => /[A-Za-z]/.test(word) && /[\u0370-\u04ff\uff21-\uff5a]/.test(word) && ASCII.test(foldText(word)))
  );
}

/** What is downloaded and run at once, and a shell that is handed to another machine. */
const FETCHED_AND_RUN =
  /\b(?:curl|wget)\b[^|\n]{1,500}\|[ \t]{0,8}(?:sudo[ \t]{1,4})?(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k)?sh\b|\/dev\/(?:tcp|udp)\/|\bn(?:c|cat)\b[^|\n]{0,100}[ \t]-[a-z]{0,4}e\b/i;

export function runsForeignCode(command: string): boolean {
  return FETCHED_AND_RUN.test(command);
}
