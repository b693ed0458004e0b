import type { Command } from './command.ts';

/** A completion script made from the command table; `undefined` for a shell that is not known. */
export function toCompletionScript(shell: string, table: readonly Command[]): string | undefined {
  const tree = toTree(table);
  if (shell === 'bash') return bash(tree);
  if (shell === 'zsh') return `#compdef sallyport\nautoload -U +X bashcompinit && bashcompinit\n${bash(tree)}`;
  return shell === 'fish' ? fish(table, tree) : undefined;
}

interface Tree {
  /** First words. */
  readonly tops: readonly string[];
  /** First word -> second words. */
  readonly verbs: ReadonlyMap<string, readonly string[]>;
  /** Whole name -> long options. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

const COMMON_FLAGS = ['--json', '--config', '--help'];

function toTree(table: readonly Command[]): Tree {
  const verbs = new Map<string, string[]>();
  const flags = new Map<string, string[]>();
  for (const { name, options } of table) {
    const [top = '', verb] = name.split(' ');
    const known = verbs.get(top) ?? [];
    verbs.set(top, verb === undefined ? known : [...known, verb]);
    flags.set(name, [...(options ?? []).map((option) => longFlag(option.flags)), ...COMMON_FLAGS]);
  }
  return { tops: [...verbs.keys()], verbs, flags };
}

function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? '';
}

function bash({ tops, verbs, flags }: Tree): string {
  const groups = [...verbs].filter(([, words]) => words.length > 0);
  const verbCases = groups.map(([top, words]) => `    ${top}) words="${words.join(' ')}" ;;`);
  const flagCases = [...flags].map(([name, list]) => `    "${name}") words="${list.join(' ')}" ;;`);
  return `_sallyport() {
  local current="\${COMP_WORDS[COMP_CWORD]}" top="\${COMP_WORDS[1]}" words=""
  local name="$top"
  case "$top" in
    ${groups.map(([top]) => top).join('|')}) name="$top \${COMP_WORDS[2]}" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${tops.join(' ')}"
  elif [[ "$current" == -* ]]; then
    case "$name" in
${flagCases.join('\n')}
    esac
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "$top" in
${verbCases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -F _sallyport sallyport
`;
}

function fish(table: readonly Command[], { tops }: Tree): string {
  const lines = ['complete -c sallyport -f'];
  lines.push(`complete -c sallyport -n "not __fish_seen_subcommand_from ${tops.join(' ')}" -a "${tops.join(' ')}"`);
  for (const { name, summary, options } of table) {
    const [top = '', verb] = name.split(' ');
    const said = summary.replaceAll("'", '’');
    if (verb !== undefined)
      lines.push(`complete -c sallyport -n "__fish_seen_subcommand_from ${top}" -a ${verb} -d '${said}'`);
    const seen = verb === undefined ? top : `${top}; and __fish_seen_subcommand_from ${verb}`;
    for (const option of options ?? []) {
      const takes = option.flags.includes('<') ? ' -r' : '';
      lines.push(
        `complete -c sallyport -n "__fish_seen_subcommand_from ${seen}" -l ${longFlag(option.flags).slice(2)}${takes} -d '${option.meaning.replaceAll("'", '’')}'`,
      );
    }
  }
  for (const flag of COMMON_FLAGS)
    lines.push(`complete -c sallyport -l ${flag.slice(2)}${flag === '--config' ? ' -r -F' : ''}`);
  return `${lines.join('\n')}\n`;
}
