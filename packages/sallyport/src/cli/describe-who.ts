/** Who called or decided, for people: `os:ada` for whoever uses the state folder, else the person, else the id. */
export function describeWho(id: string, person: string | null | undefined): string {
  return id.startsWith('os:') ? id : (person ?? id);
}
