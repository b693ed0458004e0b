/**
 * The words in which programs say that a call worked or failed. Whatever is written with these alone, and with the caller's
 * own words, is a state and not content: they come from the messages of libc, Node, Python, HTTP and validators. Verbs that
 * change something are here in the past only, so that no order can be written with them.
 */
export const OUTCOME_WORDS: ReadonlySet<string> = new Set(
  `a an the this that it is are was were be been has have had do does did not no none nothing any all and or of on in at to
  from for with by as but already now there here its your you if than more less least most only one two
  successfully success successful ok okay done complete completed finished result results true false null undefined yes
  wrote written writing saved stored created creating updated added appended inserted
  removed deleted deleting moved renamed copied changed applied edited replaced
  closed opened open opening started stopped read reading loaded sent echo echoed received registered
  error errors err failed failure fail fails cannot could couldn can t unable exception fatal warning invalid illegal
  unknown unexpected unsupported missing required expected got given found exists exist existing empty denied
  permission permissions access allowed forbidden outside inside within directories directory dir folder file files path
  paths such resource tool tools argument arguments parameter parameters param params input output value values key field
  property properties name named type string number integer boolean array object schema validation valid format
  line lines column character characters byte bytes char chars item items entry entries record records row rows
  entity entities relation relations observation observations note notes graph memory database table
  operation timed after timeout ms seconds second minutes out time limit exceeded too long large small short many few maximum minimum length size
  request requests response status code message mcp internal server client connection connect refused reset closed aborted
  must should may be greater less equal match matches matched occurrence occurrences pattern text content contents edits
  exact location parent root roots dimensions width height total count zero first last next
  enoent eacces eperm eexist enotdir eisdir einval enotempty emfile enospc stat lstat scandir mkdir rmdir unlink realpath
  symlink target handle device busy space left process exited exit signal killed spawn command division math`.split(
    /\s+/,
  ),
);
