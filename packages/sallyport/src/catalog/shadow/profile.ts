import { foldText } from '../../core/fold-text.ts';
import type { ToolFace } from '../../core/tool-face.ts';
import { parameterDocsOf } from '../search/parameter-docs.ts';
import { type Claims, findClaims } from './claims.ts';
import { type NameForms, toForms, toKey } from './compare-names.ts';
import { toConcepts } from './concepts.ts';
import { isFiller, isPraise, isVersion } from './qualifiers.ts';

/** What is compared of a tool, worked out once and only when it is needed. */
export interface Profile {
  readonly tool: ToolFace;
  readonly forms: NameForms;
  /** Of its name, without words of praise. */
  readonly nameConcepts: ReadonlySet<string>;
  /** Of the names of the tool and of its server: `search` of `maps` is a search of maps. */
  readonly placedConcepts: ReadonlySet<string>;
  /** Of name, title and description. */
  readonly concepts: ReadonlySet<string>;
  readonly parameters: ReadonlySet<string>;
  /** Of the names of its parameters. */
  readonly parameterConcepts: ReadonlySet<string>;
  /** Three words in a row, of the description. */
  readonly runs: ReadonlySet<string>;
  readonly claims: Claims;
  /** All that it says, as it is written. */
  readonly said: string;
}

const MAX_NAME = 256;
const MAX_PARAMETERS = 200;
/** Characters that are read for what they say of others: padding must not hide it. The longest honest text has some 20,000. */
const MAX_SAID = 32_000;
/** Characters of a description that are compared. */
const MAX_TEXT = 4000;
/** Words of a description that are looked at for copies. */
const MAX_WORDS = 300;

const profiles = new WeakMap<ToolFace, Profile>();

export function profileOf(tool: ToolFace): Profile {
  let profile = profiles.get(tool);
  if (profile === undefined) {
    profile = createProfile(tool);
    profiles.set(tool, profile);
  }
  return profile;
}

function createProfile(tool: ToolFace): Profile {
  const { server } = tool;
  const [name, title] = [tool.name.slice(0, MAX_NAME), tool.title.slice(0, MAX_NAME)];
  const description = tool.description.slice(0, MAX_TEXT);
  const nameConcepts = toNameConcepts(name);
  let runs: ReadonlySet<string> | undefined;
  let claims: Claims | undefined;
  let said: string | undefined;
  let concepts: ReadonlySet<string> | undefined;
  let parameterConcepts: ReadonlySet<string> | undefined;
  return {
    tool,
    forms: toForms(name),
    nameConcepts,
    placedConcepts: new Set([...nameConcepts, ...toNameConcepts(server)]),
    parameters: new Set(tool.parameters.slice(0, MAX_PARAMETERS).map(toKey)),
    get concepts() {
      concepts ??= new Set([...nameConcepts, ...toConcepts(`${title}\n${description}`)]);
      return concepts;
    },
    get parameterConcepts() {
      parameterConcepts ??= toConcepts(tool.parameters.slice(0, MAX_PARAMETERS).join(' '));
      return parameterConcepts;
    },
    get runs() {
      runs ??= toRuns(description);
      return runs;
    },
    get said() {
      said ??= [title, tool.description.slice(0, MAX_SAID), parameterDocsOf(tool)]
        .filter((text) => text !== '')
        .join('\n');
      return said;
    },
    get claims() {
      claims ??= findClaims(foldText(`${name.replaceAll(/[_-]/g, ' ')}. ${this.said}`));
      return claims;
    },
  };
}

function toNameConcepts(name: string): ReadonlySet<string> {
  const concepts = toConcepts(foldText(name) === name.toLowerCase() ? name : foldText(name));
  const bare = [...concepts].filter((concept) => !isPraise(concept) && !isFiller(concept) && !isVersion(concept));
  return bare.length === 0 ? concepts : new Set(bare);
}

/** Chinese has no spaces: each character counts as a word. */
function toRuns(description: string): ReadonlySet<string> {
  const words = foldText(description).match(/\p{Script=Han}|[\p{L}\p{N}]{1,64}/gu) ?? [];
  const runs = new Set<string>();
  const count = Math.min(words.length, MAX_WORDS);
  for (let i = 0; i + 2 < count; i++) runs.add(`${words[i]} ${words[i + 1]} ${words[i + 2]}`);
  return runs;
}
