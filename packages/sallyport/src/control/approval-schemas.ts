import { type Schema, TEXT } from './route.ts';

const TIME: Schema = { type: 'integer', description: 'Milliseconds since the epoch.' };
const ARGUMENTS: Schema = { type: 'object' };
const SCOPE: Schema = {
  enum: ['once', 'run', 'always'],
  description: 'One call; until the conversation ends; until the grant expires.',
};
const PATTERN: Schema = {
  description: 'any, or a value for every argument; * and ** in texts.',
  anyOf: [{ const: 'any' }, ARGUMENTS],
};

const ANSWER: Schema = {
  title: 'ApprovalAnswer',
  type: 'object',
  required: ['by', 'via', 'at', 'kind'],
  properties: {
    by: { type: 'string', description: 'The principal.' },
    person: TEXT,
    via: { enum: ['elicitation', 'command', 'api'] },
    at: TIME,
    kind: { enum: ['allow', 'deny'] },
    scope: SCOPE,
    pattern: PATTERN,
    arguments: ARGUMENTS,
    message: TEXT,
  },
};

/** One question to a person, and what was answered. */
export const APPROVAL: Schema = {
  title: 'Approval',
  type: 'object',
  required: [
    ...['id', 'state', 'createdAt', 'updatedAt', 'expiresAt', 'needed', 'answers', 'callId', 'principal', 'client'],
    ...['upstream', 'tool', 'toolDigest', 'argumentsDigest', 'reasons', 'classes'],
  ],
  properties: {
    id: TEXT,
    state: { enum: ['waiting', 'allowed', 'denied', 'expired'] },
    createdAt: TIME,
    updatedAt: TIME,
    expiresAt: TIME,
    needed: { type: 'integer', description: 'How many different people must allow.' },
    callerMayAnswer: { type: 'boolean' },
    answers: { type: 'array', items: ANSWER },
    callId: TEXT,
    run: TEXT,
    principal: { type: 'string', description: 'Id of the caller.' },
    person: TEXT,
    client: TEXT,
    upstream: TEXT,
    tool: TEXT,
    toolDigest: TEXT,
    arguments: { type: 'object', description: 'For operators, with {{hidden:…}} in place of secrets.' },
    argumentNames: { type: 'array', items: TEXT, description: 'For viewers.' },
    argumentsDigest: TEXT,
    policyVersion: TEXT,
    reasons: {
      type: 'array',
      items: { type: 'object', required: ['guard'], properties: { guard: TEXT, reason: TEXT } },
    },
    classes: { type: 'array', items: TEXT },
    difference: {
      type: 'array',
      description: 'From the last allowed call of this tool; left out: there was none.',
      items: { type: 'object', required: ['path'], properties: { path: TEXT, before: {}, after: {} } },
    },
  },
};

/** What a command line without a person in front of it says of itself. */
export const UNATTENDED: Schema = {
  type: 'boolean',
  default: false,
  description: 'From a command without a terminal: approvals.unattended has to permit it.',
};

export const ALLOW_BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    scope: { ...SCOPE, default: 'once' },
    pattern: { ...PATTERN, description: `With the scope run or always: ${PATTERN['description']}` },
    arguments: { type: 'object', description: 'Run the call with these instead, once.' },
    unattended: UNATTENDED,
  },
};

export const DENY_BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: { message: { type: 'string', maxLength: 2_000, description: 'What the model hears.' } },
};

/** What people allowed and is still worth something. */
export const GRANT: Schema = {
  type: 'object',
  required: ['id', 'approvalId', 'principal', 'upstream', 'tool', 'toolDigest', 'scope', 'createdAt', 'expiresAt'],
  properties: {
    id: TEXT,
    approvalId: TEXT,
    principal: TEXT,
    person: { type: ['string', 'null'], description: 'Who stands behind the key.' },
    upstream: TEXT,
    tool: TEXT,
    toolDigest: TEXT,
    scope: SCOPE,
    run: TEXT,
    argumentsDigest: TEXT,
    pattern: PATTERN,
    arguments: ARGUMENTS,
    hasPattern: { type: 'boolean', description: 'For viewers.' },
    hasChangedArguments: { type: 'boolean', description: 'For viewers.' },
    guards: { type: 'array', items: TEXT },
    classes: { type: 'array', items: TEXT },
    createdAt: TIME,
    expiresAt: TIME,
  },
};
