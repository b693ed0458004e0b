import { resolveTaint, type TaintSettings, taintSchema } from '../src/config/taint-section.ts';
import type { Envelope } from '../src/core/envelope.ts';
import type { Json, JsonObject } from '../src/core/json.ts';
import type { ShownDefinitions } from '../src/core/shown-definitions.ts';
import type { Verdict } from '../src/core/verdict.ts';
import { readDefinition } from '../src/guard/sinks/classify-definition.ts';
import { findSinks } from '../src/guard/sinks/sink-floor.ts';
import { createPrinter } from '../src/guard/taint/fingerprints.ts';
import { type TaintPorts, taint, taintLabels } from '../src/guard/taint/taint.ts';
import { createTaintMemory } from '../src/state/taint-memory.ts';
import { toCall, toResult, toTool } from './sample-call.ts';

const KEY = Buffer.alloc(32, 7);
const SOURCES = [
  { match: 'bank', trust: 'trusted', privacy: 'personal' },
  { match: 'vault', trust: 'trusted', privacy: 'secret' },
  { match: 'wiki', trust: 'trusted', privacy: 'internal' },
  { match: 'contacts', trust: 'trusted' },
];

/** Four sources the operator speaks of; everything else is untrusted. */
export function settingsOf(written: object = {}, set: 'laptop' | 'team' = 'team'): TaintSettings {
  const servers = ['bank', 'vault', 'wiki', 'web', 'mail', 'contacts', 'files', 'notes', 'desk'];
  const checked = taintSchema.parse({ sources: SOURCES, trustedHosts: ['local'], ...written });
  const settings = resolveTaint(checked, { set, servers }, (path, message) => {
    throw new Error(`${path.join('.')}: ${message}`);
  });
  if (settings === undefined) throw new Error('off');
  return settings;
}

const TOOLS: Readonly<Record<string, JsonObject>> = {
  'mail.send_email': { to: 'string', subject: 'string', body: 'string' },
  'mail.read_email': { id: 'string' },
  'mail.reply_to_email': { id: 'string', body: 'string' },
  'web.fetch_page': { url: 'string' },
  'web.search': { query: 'string' },
  'bank.get_transactions': {},
  'bank.transfer_money': { recipient: 'string', amount: 'number' },
  'vault.get_secret': { name: 'string' },
  'files.read_file': { path: 'string' },
  'files.delete_file': { path: 'string' },
  'files.write_file': { path: 'string', content: 'string' },
  'desk.run_command': { command: 'string' },
  'desk.delete_ticket': { ticket_id: 'string' },
  'desk.get_ticket': { ticket_id: 'string' },
  'desk.list_tickets': {},
  'desk.update_ticket': { ticket_id: 'string', note: 'string' },
  'contacts.find_contact': { name: 'string' },
  'wiki.get_page': { title: 'string' },
  'notes.add_note': { text: 'string' },
  'notes.create_chunks': { parts: 'array' },
};

/** What one run reads and calls, without the program around it. */
export class Conversation {
  readonly #settings: TaintSettings;
  readonly ports: TaintPorts;
  user: string | undefined;
  run = 'run';
  #shown: ShownDefinitions | undefined;
  #calls = 0;
  #guard: ReturnType<typeof taint> | undefined;

  constructor(settings = settingsOf(), limits: Partial<TaintSettings> = {}) {
    this.#settings = settings;
    const memory = createTaintMemory({ now: () => 0, limits: () => ({ ...settings, ...limits }) });
    this.ports = {
      settings: () => this.#settings,
      memory,
      printer: createPrinter(KEY),
      sinksOf: (call) => findSinks(call, undefined),
      findPrivate: (text) =>
        [...text.matchAll(/\bkey-[a-z0-9]{12,40}\b/g)].map(([found]) => ({ text: found, privacy: 'secret' as const })),
    };
  }

  /** What the lists show: server, definition or instructions, and whether anything was found in it. */
  shows(...all: readonly (readonly [string, Json, hasFindings?: boolean])[]): this {
    const shown = all.map(([upstream, definition, hasFindings = false]) => ({
      ...{ upstream, definition, hasFindings },
      what: typeof definition === 'string' ? `the instructions of ${upstream}` : `the description of ${upstream}.tool`,
    }));
    this.#shown = { all: shown, suspicious: shown.find(({ hasFindings }) => hasFindings) };
    return this;
  }

  asks(text: string): this {
    this.user = text;
    return this;
  }

  #call(name: string, given: JsonObject): Envelope {
    const [upstream = '', tool = ''] = name.split('.');
    const properties = Object.fromEntries(
      Object.entries(TOOLS[name] ?? {}).map(([key, type]) => [key, { type: type ?? 'string' }]),
    );
    const definition = { name: tool, inputSchema: { type: 'object', properties } };
    const sinks = readDefinition(definition).sinks;
    return toCall({
      id: `call-${++this.#calls}`,
      tool: toTool(definition, { upstream, publicName: `${upstream}_${tool}`, sinks }),
      body: given,
      run: this.run,
      user: this.user,
      shown: this.#shown && (() => this.#shown as ShownDefinitions), // set once, before the first call
    });
  }

  call(name: string, given: JsonObject): Verdict {
    this.#guard ??= taint(this.ports);
    const verdict = this.#guard.judge(this.#call(name, given));
    if (verdict === undefined || verdict instanceof Promise) throw new Error('not at once');
    return verdict;
  }

  reads(name: string, result: unknown, given: JsonObject = {}): this {
    const call = this.#call(name, given);
    taint(this.ports).judge(call);
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    return this.#hears(call, { type: 'text', text });
  }

  /** A picture, in base64. */
  sees(name: string, data: string): this {
    return this.#hears(this.#call(name, {}), { type: 'image', mimeType: 'image/png', data });
  }

  #hears(call: Envelope, item: JsonObject): this {
    taintLabels(this.ports).judge(toResult(call, { content: [item] }));
    return this;
  }
}
