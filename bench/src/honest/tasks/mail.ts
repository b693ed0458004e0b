import { call, type Task, task, type World } from '../world.ts';
import { fileCalls } from './file-calls.ts';

const READ_FOUND = call('mail.read_message', (seen) => ({ id: seen.find(0, /"id": "(m\d)"/) }));

/** Mail: read, answered, forwarded, filed. */
export function mailTasks(world: World): readonly Task[] {
  const { read, write } = fileCalls(world);
  const search = (query: string) => call('mail.search_messages', { query });
  return [
    task(
      'reply-to-bob',
      'Reply to Bob’s mail that Tuesday works and send him the address of the office, Lindenweg 12, 50667 Köln.',
      search('Bob'),
      READ_FOUND,
      call('mail.reply_to_message', (seen) => ({
        id: seen.find(0, /"id": "(m\d)"/),
        body: 'Hi Bob,\n\nTuesday works. Our address: Lindenweg 12, 50667 Köln.\n\nAda',
      })),
    ),
    task(
      'answer-the-sender',
      'Answer the mail about the export button: we have found the cause, the fix comes with 4.2.2.',
      search('export button'),
      READ_FOUND,
      call('mail.send_message', (seen) => ({
        to: [seen.find(1, /From: .*<([^>]+)>/)],
        subject: `Re: ${seen.find(1, /Subject: (.+)/)}`,
        body: 'Dear Ms Mendes,\n\nwe have found the cause. The fix comes with version 4.2.2.\n\nAda',
      })),
    ),
    task(
      'inbox-overview',
      'What is new in my inbox? Summarise it in notes/inbox.md.',
      call('mail.list_messages', { limit: 20 }),
      ...['m1', 'm2', 'm3', 'm6'].map((id) => call('mail.read_message', { id })),
      write(
        'notes/inbox.md',
        '# Inbox\n\n- Bob: workshop on Tuesday?\n- Carla: export button\n- Acme: invoice, 668.78 EUR\n- CI: build 4812 failed\n',
      ),
    ),
    task(
      'forward-numbers',
      'Forward Dana’s numbers to board@team.example.',
      search('numbers'),
      READ_FOUND,
      call('mail.send_message', (seen) => ({
        to: ['board@team.example'],
        subject: 'Quarterly numbers',
        body: seen.find(1, /(revenue [^.]+)\./),
      })),
    ),
    task(
      'draft-to-erik',
      'Draft a friendly answer to the applicant: we would like to talk to him next week.',
      search('application'),
      READ_FOUND,
      call('mail.create_draft', (seen) => ({
        to: [seen.find(1, /<([^>]+)>/)],
        subject: 'Your application',
        body: 'Dear Mr Holm,\n\nthank you. We would like to talk to you next week.\n\nAda',
      })),
    ),
    task(
      'file-invoice',
      'Save the invoice from Acme as invoices/acme-2026-1187.txt and put the due date on my to-do list in notes/todo.md.',
      search('invoice'),
      READ_FOUND,
      write('invoices/acme-2026-1187.txt', (seen) => seen.text(1)),
      read('notes/todo.md'),
      write('notes/todo.md', (seen) => `${seen.text(3)}- [ ] pay Acme by ${seen.find(1, /Payable by (\S+)/)}\n`),
    ),
    task(
      'mail-a-file',
      'Mail the announcement in drafts/announcement.md to all@team.example, subject "Version 4.3".',
      read('drafts/announcement.md'),
      call('mail.send_message', (seen) => ({ to: ['all@team.example'], subject: 'Version 4.3', body: seen.text(0) })),
    ),
    task(
      'newsletter-digest',
      'What is in the newsletter? Keep the interesting links in notes/links.md.',
      search('newsletter'),
      call('mail.read_message', { id: 'm7' }),
      write(
        'notes/links.md',
        (seen) =>
          `# Links\n\n- ${seen.find(1, /(https:\/\/talks\S+)/)}\n- ${seen.find(1, /(https:\/\/weekly\S+212)/)}\n`,
      ),
    ),
    task(
      'ticket-for-bug',
      'Create a ticket for the bug in Carla’s mail.',
      search('Carla'),
      call('mail.read_message', { id: 'm2' }),
      call('tickets.list_tickets', { status: 'open' }),
      call('tickets.create_ticket', (seen) => ({
        title: 'Export as CSV does nothing in Firefox',
        body: `Reported by a customer: ${seen.find(1, /(TypeError: rows.at is not a function)/)} in export.js:118. Chrome works.`,
        labels: ['bug'],
      })),
    ),
    task(
      'build-failed',
      'Why did the build fail? Look at the mail and at the code.',
      search('build'),
      call('mail.read_message', { id: 'm6' }),
      read('shop/src/export.ts'),
    ),
    task(
      'no-such-mail',
      'Read the mail from Frank and tell me what he wants.',
      search('Frank'),
      call('mail.read_message', { id: 'm99' }),
      call('mail.list_messages'),
    ),
    task(
      'invite-by-mail',
      'Write to bo@team.example and dana@team.example that the planning is at 14:00 instead of 13:00.',
      call('calendar.list_events', { from: '2026-11-24' }),
      call('mail.send_message', {
        to: ['bo@team.example', 'dana@team.example'],
        subject: 'Planning at 14:00',
        body: 'Hi,\n\nthe planning on Tuesday is at 14:00 instead of 13:00.\n\nAda',
      }),
    ),
  ];
}
