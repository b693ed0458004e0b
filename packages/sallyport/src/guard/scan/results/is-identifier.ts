/** `shouldIgnorePosixPermissionError`: humps, and nothing of a sentence. */
const HUMPS = /^[A-Za-z][a-z\d]+(?:[A-Z][a-z\d]+){1,16}$/;
/** A line of a program: it calls, assigns, compares, opens or ends a block, or is an item of a list of names. */
const PROGRAM =
  /[;{}]\s{0,8}$|=>|[\w$]\(|\s(?:=|[=!]==?|&&|\|\||\?\?)\s|^\s{0,64}[\w$]{1,256},$|^\s{0,64}(?:import|export|class|interface|type|def|func|fn|public|private|static|return|throw)\s/;
/** Of the line on either side. Characters. */
const AROUND = 300;

/** Is this word, written in camel case, a name in a line of a program? */
export function isIdentifier(text: string, start: number, end: number): boolean {
  if (!HUMPS.test(text.slice(start, end))) return false;
  const from = Math.max(text.lastIndexOf('\n', start - 1) + 1, start - AROUND);
  const next = text.indexOf('\n', end);
  return PROGRAM.test(text.slice(from, Math.min(next < 0 ? text.length : next, end + AROUND)));
}
