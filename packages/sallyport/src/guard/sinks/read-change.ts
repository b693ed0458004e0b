import { isObject, type JsonObject, member, memberText } from '../../core/json.ts';
import { toWords } from './read-words.ts';
import { READING_VERBS } from './words.ts';

/**
 * What a tool changes, as far as its definition shows. `reaches`: something outside the server's own data (people, devices,
 * bookings, orders). `keeps`: that data (files, notes, records). `invites`: the same, and its arguments may name people.
 * `runs`: whatever its arguments say. `none`: nothing that stays.
 */
export type Change = 'none' | 'keeps' | 'invites' | 'reaches' | 'runs';

/** They commit somebody to something or reach other people by themselves. */
const REACHING: ReadonlySet<string> =
  words(`book books reserve reserves order orders sell sells buy rent hire invite invites dispatch dispatches submit submits unlock
  unlocks disarm disarms share shares reply replies dial transfer transfers vote unfollow donate`);

/** A device does something in a room: a verb of switching with one of these. */
const SWITCHING: ReadonlySet<string> = words(
  'set sets switch switches toggle turn turns open opens close closes lock locks enable enables disable disables start stop control controls activate deactivate arm',
);
const DEVICES: ReadonlySet<string> = words(
  'device devices door doors lock locks alarm alarms light lights lamp thermostat garage gate valve valves heater heating boiler oven camera cameras siren plug sprinkler vehicle car robot drone pump',
);

/** Work that others see at once. */
const SHARED: readonly (readonly [verbs: ReadonlySet<string>, nouns: ReadonlySet<string>])[] = [
  [words('push'), words('git branch commit commits commits repo repository remote files tags')],
  [words('add create post write leave submit'), words('comment comments review reviews reply feedback')],
  [words('create open close merge approve reject'), words('pull request requests pr mr')],
  [words('forward forwards'), words('mail email message messages')],
  [words('add create set update'), words('forwarding forwarder')],
  [
    words('cancel cancels'),
    words('booking bookings reservation reservations order orders appointment flight subscription meeting event'),
  ],
];

/** They change what a server has of its own. */
const KEEPING: ReadonlySet<string> =
  words(`remove removes create creates update updates add adds set sets edit edits write writes insert inserts put puts patch
  modify modifies change changes move moves copy rename renames replace append upsert save saves store stores import sync
  commit configure attach detach assign unassign mark pin unpin archive restore reset schedule schedules complete finish
  label tag untag clear empty remember memorize record log note register stage unstage checkout stash rebase upload
  enable disable apply init merge cancel approve reject push forward resolve close reopen mute unmute assign transition toggle delete drop`);

/** What they do is in their arguments. */
const RUNNING: ReadonlySet<string> = words('run runs execute executes exec eval evaluate evaluates perform');

/** What is made for the answer alone: nothing of it stays. */
const MADE: ReadonlySet<string> =
  words(`chart charts plot diagram diagrams visualization visualisation uuid guid id ids hash color colour palette qr barcode image
  thumbnail screenshot table markdown report summary outline prompt random number numbers answer query embedding embeddings
  slug regex mermaid svg map thought thoughts thinking`);

const MAKING: ReadonlySet<string> = words('create creates write writes add adds insert inserts');
/** What is written down and not sent. */
const DRAFTS: ReadonlySet<string> = words('draft drafts');

/** Names of what is given to other people. */
export const PEOPLE =
  /^(?:(?:forward|send|ship|deliver|mail|share)_?to|recipients?|receivers?|participants|attendees|invitees?|guests?|collaborators?|to_?(?:emails?|phone|number|address)|b?cc)$/i;

/** @param definition of a tool that does more than read */
export function readChange(definition: JsonObject): Change {
  const name = toWords(memberText(definition, 'name'));
  const at = name.findIndex((word) => isVerb(word));
  const described = at < 0 ? toWords(memberText(definition, 'description').slice(0, 200)).slice(0, 8) : name;
  const verb = at < 0 ? described.slice(0, 2).find(isVerb) : name[at];
  if (verb === undefined || READING_VERBS.has(verb)) return readHint(definition);
  const isMade = described.some((word) => MADE.has(word));
  if (REACHING.has(verb)) return 'reaches';
  if (SWITCHING.has(verb) && described.some((word) => DEVICES.has(word))) return 'reaches';
  if (SHARED.some(([verbs, nouns]) => verbs.has(verb) && described.some((word) => word !== verb && nouns.has(word))))
    return 'reaches';
  if (RUNNING.has(verb)) return 'runs';
  if (!KEEPING.has(verb)) return readHint(definition);
  if (isMade && MAKING.has(verb)) return 'none';
  if (described.some((word) => DRAFTS.has(word))) return 'keeps';
  return namesPeople(definition) ? 'invites' : 'keeps';
}

function isVerb(word: string): boolean {
  return KEEPING.has(word) || RUNNING.has(word) || REACHING.has(word) || SWITCHING.has(word) || READING_VERBS.has(word);
}

/** Somebody wrote that it does more than read, whatever that is. That nobody wrote anything shows nothing. */
function readHint(definition: JsonObject): Change {
  const annotations = member(definition, 'annotations');
  return member(annotations, 'readOnlyHint') === false && member(annotations, 'destructiveHint') === true
    ? 'keeps'
    : 'none';
}

function namesPeople(definition: JsonObject): boolean {
  const properties = member(member(definition, 'inputSchema'), 'properties');
  return (
    isObject(properties) &&
    Object.keys(properties)
      .slice(0, 256)
      .some((name) => PEOPLE.test(name))
  );
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
