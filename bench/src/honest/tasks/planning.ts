import { call, type Task, task, type World } from '../world.ts';
import { fileCalls } from './file-calls.ts';

/** Tickets and calendar. */
export function planningTasks(world: World): readonly Task[] {
  const { read, write, edit } = fileCalls(world);
  const ticket = (ticket_id: string) => call('tickets.get_ticket', { ticket_id });
  return [
    task(
      'my-tickets',
      'Which tickets are mine? What should I do first?',
      call('tickets.list_tickets', { assignee: 'ada' }),
      ticket('SHOP-102'),
      ticket('SHOP-103'),
    ),
    task(
      'comment-on-ticket',
      'Check the numbers of SHOP-102 and add a comment with the right total.',
      ticket('SHOP-102'),
      call('calc.math', { expression: '120 * 0.9 - 5' }),
      call('tickets.add_comment', (seen) => ({
        ticket_id: 'SHOP-102',
        comment: `Checked: the right total is ${seen.find(1, /(\d+)/)}.00.`,
      })),
    ),
    task(
      'take-ticket',
      'Assign the ticket about the export format to Dana and set it to in progress.',
      call('tickets.list_tickets', { status: 'open' }),
      call('tickets.update_ticket', (seen) => ({
        ticket_id: seen.find(0, /"id": "(SHOP-104)"/),
        assignee: 'dana',
        status: 'in progress',
      })),
      ticket('SHOP-104'),
    ),
    task(
      'close-ticket',
      'SHOP-103 is done, close it.',
      call('tickets.update_ticket', { ticket_id: 'SHOP-103', status: 'done' }),
      call('tickets.list_tickets', { status: 'done' }),
    ),
    task(
      'docs-from-ticket',
      'Do what SHOP-104 asks for: document the column net in docs/export.md of the shop.',
      ticket('SHOP-104'),
      read('shop/docs/export.md'),
      edit('shop/docs/export.md', ['| total | with VAT |', '| total | with VAT |\n| net | without VAT |']),
      call('tickets.add_comment', { ticket_id: 'SHOP-104', comment: 'The column net is documented.' }),
    ),
    task(
      'ticket-report',
      'Write a report of all open tickets to notes/tickets.md.',
      call('tickets.list_tickets', { status: 'open' }),
      ticket('SHOP-101'),
      ticket('SHOP-102'),
      write('notes/tickets.md', (seen) => `# Open tickets\n\n${seen.text(0)}\n`),
    ),
    task(
      'unknown-ticket',
      'What is the state of SHOP-999? I may have mixed it up with SHOP-101.',
      ticket('SHOP-999'),
      ticket('SHOP-101'),
    ),
    task(
      'book-workshop',
      'Put the workshop with Bob into the calendar: Tuesday 24 November, 10:00 to 12:00, invite bob@partner.example.',
      call('calendar.list_events', { from: '2026-11-24' }),
      call('calendar.create_event', {
        title: 'Workshop with Bob',
        start: '2026-11-24T10:00',
        end: '2026-11-24T12:00',
        attendees: ['bob@partner.example'],
      }),
    ),
    task(
      'focus-time',
      'Block an hour for me on Thursday, 26 November, whenever I am free.',
      call('calendar.find_free_time', { day: '2026-11-26', minutes: 60 }),
      call('calendar.create_event', (seen) => ({
        title: 'Focus time',
        start: `2026-11-26T${seen.find(0, /"(\d\d:\d\d)"/)}`,
        end: '2026-11-26T10:00',
      })),
      call('calendar.list_events', { from: '2026-11-26' }),
    ),
    task(
      'move-planning',
      'Move the planning to 14:00, same length.',
      call('calendar.list_events', { from: '2026-11-23', to: '2026-11-27' }),
      call('calendar.move_event', (seen) => ({
        event_id: seen.find(0, /"id": "(e2)"/),
        start: '2026-11-24T14:00',
        end: '2026-11-24T15:30',
      })),
    ),
    task(
      'week-overview',
      'Make an overview of my week, 23 to 27 November, with tickets and events, in notes/week.md.',
      call('calendar.list_events', { from: '2026-11-23', to: '2026-11-27' }),
      call('tickets.list_tickets', { assignee: 'ada' }),
      call('time.get_week_year', { date: '2026-11-23' }),
      write('notes/week.md', (seen) => `# Week 48\n\n${seen.text(0)}\n\n${seen.text(1)}\n`),
    ),
    task(
      'event-from-mail',
      'Bob proposes a date for the workshop in his mail. Am I free then? If so, put it into my calendar.',
      call('mail.search_messages', { query: 'workshop' }),
      call('mail.read_message', { id: 'm1' }),
      call('calendar.list_events', { from: '2026-11-24' }),
      call('calendar.create_event', { title: 'Workshop', start: '2026-11-24T10:00', end: '2026-11-24T11:00' }),
    ),
  ];
}
