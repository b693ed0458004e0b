/** Who answered, or asked. */
export interface Who {
  /** Id of the principal. */
  readonly by: string;
  readonly person?: string | undefined;
}

/** All of them stand for whoever owns the state directory: who may open it reads the laptop's key and starts programs. */
const OWNERS: ReadonlySet<string> = new Set(['local', 'stdio', 'anyone']);

function isOwner({ by }: Who): boolean {
  return OWNERS.has(by) || by.startsWith('os:');
}

/** Two keys of one person are one person; so are the key, the programs and the terminal of the machine's owner. */
export function isSamePerson(one: Who, other: Who): boolean {
  if (one.by === other.by) return true;
  if (one.person !== undefined && one.person === other.person) return true;
  return isOwner(one) && isOwner(other);
}

/** How many different people these are: of those who may be the same, each counts once. */
export function differentPeople<W extends Who>(answers: readonly W[]): readonly W[] {
  const people: W[] = [];
  for (const answer of answers) if (!people.some((known) => isSamePerson(known, answer))) people.push(answer);
  return people;
}
