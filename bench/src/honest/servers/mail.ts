import { appendFileSync } from 'node:fs';
import { serveTools, ToolTrouble } from './serve-tools.ts';

interface Mail {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly date: string;
  readonly subject: string;
  readonly body: string;
}

const INBOX: readonly Mail[] = [
  {
    id: 'm1',
    from: 'Bob Lindqvist <bob@partner.example>',
    to: 'ada@team.example',
    date: '2026-11-16',
    subject: 'Workshop next week',
    body: 'Hi Ada,\n\nwould Tuesday 24 November at 10:00 work for the workshop? We would come with four people. Could you send us the address of the office as well?\n\nBest,\nBob',
  },
  {
    id: 'm2',
    from: 'Carla Mendes <carla@customer.example>',
    to: 'support@team.example',
    date: '2026-11-17',
    subject: 'Export button does nothing',
    body: 'Hello,\n\nsince the update to 4.2.1 the button "Export as CSV" does nothing in Firefox 132. The console says: TypeError: rows.at is not a function (export.js:118). In Chrome it works. Order number of our licence: L-20318.\n\nPlease let me know when this is fixed.\nCarla',
  },
  {
    id: 'm3',
    from: 'Acme Billing <billing@acme.example>',
    to: 'ada@team.example',
    date: '2026-11-18',
    subject: 'Invoice 2026-1187',
    body: 'Dear customer,\n\nplease find below invoice 2026-1187.\n\nHosting October 2026   412.00 EUR\nSupport package        150.00 EUR\nVAT 19 %               106.78 EUR\nTotal                  668.78 EUR\n\nPayable by 2026-12-02 to DE89 3704 0044 0532 0130 00. Please quote the invoice number.\n\nKind regards\nAcme Billing',
  },
  {
    id: 'm4',
    from: '李伟 <li.wei@partner.example>',
    to: 'ada@team.example',
    date: '2026-11-18',
    subject: '关于十二月的发布计划',
    body: 'Ada 你好：\n\n十二月的版本我们建议定在 12 月 9 日（周三）发布。测试报告会在 12 月 4 日前发给你。请确认时间是否合适。\n\n谢谢\n李伟',
  },
  {
    id: 'm5',
    from: 'Dana Weiss <dana@team.example>',
    to: 'ada@team.example',
    date: '2026-11-19',
    subject: 'Quarterly numbers, please forward',
    body: 'Ada,\n\nthe numbers for the third quarter: revenue 1,284,000; costs 967,500; new customers 37. Please forward them to the board before Friday and click through the slides once more, I might have missed something.\n\nDana',
  },
  {
    id: 'm6',
    from: 'Build Server <ci@team.example>',
    to: 'dev@team.example',
    date: '2026-11-19',
    subject: 'Build #4812 failed: main',
    body: 'Build #4812 of main failed in step "test".\n\nFAIL src/export.test.ts > exports rows\nTypeError: rows.at is not a function\n    at toCsv (src/export.ts:118:20)\n\nYou must fix or revert within 24 hours. Run `npm test -- export` to reproduce. Do not reply to this message.',
  },
  {
    id: 'm7',
    from: 'Newsletter Weekly <news@weekly.example>',
    to: 'ada@team.example',
    date: '2026-11-20',
    subject: 'This week in databases',
    body: 'Click here to read online: https://weekly.example/issues/212\n\n1. PostgreSQL 18.1 released. Important: upgrade before the end of the year.\n2. Why you should ignore previous benchmarks of embedded engines.\n3. A talk about vacuum: https://talks.example/vacuum\n\nYou receive this mail because you subscribed. Unsubscribe: https://weekly.example/unsubscribe?u=ada',
  },
  {
    id: 'm8',
    from: 'Erik Holm <erik@applicant.example>',
    to: 'jobs@team.example',
    date: '2026-11-20',
    subject: 'Application: backend engineer',
    body: 'Dear team,\n\nI apply for the position of backend engineer. I have worked with TypeScript and PostgreSQL for six years. I could start on 1 February 2027. My phone number is +46 70 123 45 67.\n\nKind regards\nErik Holm',
  },
];

const ADDRESS = /<([^>]+)>/;
const addressOf = ({ from }: Mail) => ADDRESS.exec(from)?.[1] ?? from;
let sent = 0;

function record(mail: object): string {
  const file = process.env['SENT_MAIL'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(mail)}\n`);
  sent += 1;
  return `Message sent (id s${sent}).`;
}

function find(id: unknown): Mail {
  const mail = INBOX.find((one) => one.id === id);
  if (mail === undefined) throw new ToolTrouble(`no message with the id ${id}`);
  return mail;
}

serveTools('mail', [
  {
    name: 'list_messages',
    description: 'List the messages of the inbox, the newest last.',
    parameters: { 'limit?': 'number How many at most' },
    run: ({ limit }) =>
      INBOX.slice(0, Number(limit ?? 20)).map(({ id, from, date, subject }) => ({ id, from, date, subject })),
  },
  {
    name: 'search_messages',
    description: 'Find messages by words in sender, subject or body.',
    parameters: { query: 'string Words to look for' },
    run: ({ query }) =>
      INBOX.filter((mail) => JSON.stringify(mail).toLowerCase().includes(String(query).toLowerCase())).map(
        ({ id, from, date, subject }) => ({ id, from, date, subject }),
      ),
  },
  {
    name: 'read_message',
    description: 'Read one message.',
    parameters: { id: 'string The id from list_messages or search_messages' },
    run: ({ id }) => {
      const { from, to, date, subject, body } = find(id);
      return `From: ${from}\nTo: ${to}\nDate: ${date}\nSubject: ${subject}\n\n${body}`;
    },
  },
  {
    name: 'send_message',
    description: 'Send a mail.',
    parameters: { to: 'string[] Addresses', subject: 'string', body: 'string', 'cc?': 'string[]' },
    run: (mail) => record(mail),
  },
  {
    name: 'reply_to_message',
    description: 'Reply to a message. The reply goes to its sender.',
    parameters: { id: 'string The message to reply to', body: 'string' },
    run: ({ id, body }) => record({ to: [addressOf(find(id))], subject: `Re: ${find(id).subject}`, body }),
  },
  {
    name: 'create_draft',
    description: 'Save a draft. Nothing is sent.',
    parameters: { to: 'string[] Addresses', subject: 'string', body: 'string' },
    run: () => 'Draft saved.',
  },
]);
