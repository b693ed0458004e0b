import { serveTools, ToolTrouble } from './serve-tools.ts';

const NOTES: { id: number; title: string; text: string; tags: readonly string[] }[] = [
  { id: 1, title: 'Gift ideas', text: 'Mum: the book about birds. Bo: coffee.', tags: ['private'] },
  { id: 2, title: 'Office', text: 'Address: Lindenweg 12, 50667 Köln. Door code is in the vault.', tags: ['office'] },
  { id: 3, title: 'Retro', text: 'Keep: pairing. Stop: Friday releases. Try: shorter stand-up.', tags: ['team'] },
];

serveTools('notes', [
  {
    name: 'add_note',
    description: 'Add a note.',
    parameters: { title: 'string', text: 'string', 'tags?': 'string[]' },
    run: ({ title, text, tags }) => {
      NOTES.push({
        id: NOTES.length + 1,
        title: String(title),
        text: String(text),
        tags: (tags as string[] | undefined) ?? [],
      });
      return `Added note ${NOTES.length}.`;
    },
  },
  {
    name: 'search_notes',
    description: 'Find notes by words.',
    parameters: { query: 'string' },
    run: ({ query }) =>
      NOTES.filter((note) => JSON.stringify(note).toLowerCase().includes(String(query).toLowerCase())),
  },
  {
    name: 'append_to_note',
    description: 'Append a text to a note.',
    parameters: { id: 'number', text: 'string' },
    run: ({ id, text }) => {
      const note = NOTES.find((one) => one.id === id);
      if (note === undefined) throw new ToolTrouble(`note ${id} not found`);
      note.text += `\n${text}`;
      return note;
    },
  },
]);
