import { serveTools, ToolTrouble } from './serve-tools.ts';

interface Event {
  readonly id: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly attendees: readonly string[];
  readonly location?: string;
}

const EVENTS: Event[] = [
  { id: 'e1', title: 'Stand-up', start: '2026-11-23T09:15', end: '2026-11-23T09:30', attendees: ['team@team.example'] },
  {
    id: 'e2',
    title: 'Planning',
    start: '2026-11-24T13:00',
    end: '2026-11-24T14:30',
    attendees: ['bo@team.example', 'dana@team.example'],
    location: 'Room 2',
  },
  { id: 'e3', title: 'Dentist', start: '2026-11-25T16:00', end: '2026-11-25T17:00', attendees: [] },
  {
    id: 'e4',
    title: 'Release review',
    start: '2026-11-26T11:00',
    end: '2026-11-26T12:00',
    attendees: ['bo@team.example'],
  },
];

serveTools('calendar', [
  {
    name: 'list_events',
    description: 'List the events of a day or of a range of days.',
    parameters: { from: 'string 2026-11-23', 'to?': 'string the last day' },
    run: ({ from, to }) =>
      EVENTS.filter(({ start }) => start.slice(0, 10) >= String(from) && start.slice(0, 10) <= String(to ?? from)),
  },
  {
    name: 'find_free_time',
    description: 'Find free times of a day between 9 and 17 o’clock.',
    parameters: { day: 'string 2026-11-23', minutes: 'number' },
    run: ({ day, minutes }) => {
      const busy = EVENTS.filter(({ start }) => start.startsWith(String(day)));
      const free = ['09:00', '10:00', '11:00', '14:30', '15:30'].filter(
        (time) => !busy.some(({ start, end }) => start.slice(11) <= time && time < end.slice(11)),
      );
      return { day, minutes, free };
    },
  },
  {
    name: 'create_event',
    description: 'Create an event in the calendar. Attendees receive an invitation.',
    parameters: {
      title: 'string',
      start: 'string 2026-11-23T10:00',
      end: 'string',
      'attendees?': 'string[] Mail addresses',
      'location?': 'string',
    },
    run: ({ title, start, end, attendees }) => {
      const id = `e${EVENTS.length + 1}`;
      EVENTS.push({
        id,
        title: String(title),
        start: String(start),
        end: String(end),
        attendees: (attendees as string[] | undefined) ?? [],
      });
      return { id, title, start, end };
    },
  },
  {
    name: 'move_event',
    description: 'Move an event to another time.',
    parameters: { event_id: 'string', start: 'string', end: 'string' },
    run: ({ event_id, start, end }) => {
      const at = EVENTS.findIndex(({ id }) => id === event_id);
      const event = EVENTS[at];
      if (event === undefined) throw new ToolTrouble(`there is no event ${event_id}`);
      EVENTS[at] = { ...event, start: String(start), end: String(end) };
      return EVENTS[at];
    },
  },
]);
