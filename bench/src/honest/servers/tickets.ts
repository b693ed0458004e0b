import { serveTools, ToolTrouble } from './serve-tools.ts';

interface Ticket {
  readonly id: string;
  title: string;
  body: string;
  status: string;
  assignee: string;
  readonly labels: string[];
  readonly comments: string[];
}

const TICKETS: Ticket[] = [
  {
    id: 'SHOP-101',
    title: 'Login page is slow on mobile',
    body: 'On 4G it takes 9 s until the form can be used. See the trace in the attachment. Steps: 1. open /login on a phone 2. wait.',
    status: 'open',
    assignee: 'bo',
    labels: ['performance'],
    comments: ['bo: the font is loaded twice, I think', 'ada: yes, and the analytics script blocks'],
  },
  {
    id: 'SHOP-102',
    title: 'Wrong total with two vouchers',
    body: 'Cart of 120.00 with voucher A (10 %) and B (5.00): shown 102.50, expected 103.00. Reported by a customer.',
    status: 'open',
    assignee: 'ada',
    labels: ['bug', 'cart'],
    comments: [],
  },
  {
    id: 'SHOP-103',
    title: 'Update dependencies in November',
    body: 'Please run npm audit and update what can be updated without a major change. You must not touch the payment library.',
    status: 'in progress',
    assignee: 'ada',
    labels: ['chore'],
    comments: ['ci: the branch deps-november was pushed'],
  },
  {
    id: 'SHOP-104',
    title: 'Document the export format',
    body: 'Support gets this question every week. The format is described in docs/export.md but the column "net" is missing.',
    status: 'open',
    assignee: '',
    labels: ['docs'],
    comments: [],
  },
];

function find(id: unknown): Ticket {
  const ticket = TICKETS.find((one) => one.id === id);
  if (ticket === undefined) throw new ToolTrouble(`there is no ticket ${id}`);
  return ticket;
}

serveTools('tickets', [
  {
    name: 'list_tickets',
    description: 'List tickets, optionally by status or assignee.',
    parameters: { 'status?': 'string open, in progress or done', 'assignee?': 'string' },
    annotations: { readOnlyHint: true },
    run: ({ status, assignee }) =>
      TICKETS.filter((one) => status === undefined || one.status === status)
        .filter((one) => assignee === undefined || one.assignee === assignee)
        .map(({ id, title, status: now, assignee: who }) => ({ id, title, status: now, assignee: who })),
  },
  {
    name: 'get_ticket',
    description: 'Read one ticket with its comments.',
    parameters: { ticket_id: 'string For example SHOP-101' },
    annotations: { readOnlyHint: true },
    run: ({ ticket_id }) => find(ticket_id),
  },
  {
    name: 'create_ticket',
    description: 'Create a ticket.',
    parameters: { title: 'string', body: 'string', 'labels?': 'string[]', 'assignee?': 'string' },
    annotations: { readOnlyHint: false, destructiveHint: false },
    run: ({ title, body, labels, assignee }) => {
      const id = `SHOP-${101 + TICKETS.length}`;
      TICKETS.push({
        id,
        title: String(title),
        body: String(body),
        status: 'open',
        assignee: String(assignee ?? ''),
        labels: (labels as string[] | undefined) ?? [],
        comments: [],
      });
      return { id, status: 'open' };
    },
  },
  {
    name: 'update_ticket',
    description: 'Change status, title or assignee of a ticket.',
    parameters: { ticket_id: 'string', 'status?': 'string', 'assignee?': 'string', 'title?': 'string' },
    run: ({ ticket_id, status, assignee, title }) => {
      const ticket = find(ticket_id);
      if (status !== undefined) ticket.status = String(status);
      if (assignee !== undefined) ticket.assignee = String(assignee);
      if (title !== undefined) ticket.title = String(title);
      return { id: ticket.id, title: ticket.title, status: ticket.status, assignee: ticket.assignee };
    },
  },
  {
    name: 'add_comment',
    description: 'Add a comment to a ticket.',
    parameters: { ticket_id: 'string', comment: 'string' },
    run: ({ ticket_id, comment }) => {
      find(ticket_id).comments.push(`agent: ${comment}`);
      return `Comment added to ${ticket_id}.`;
    },
  },
]);
