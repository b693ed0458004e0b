import { isObject, type JsonObject, member } from '../core/json.ts';
import type { Hosts } from './hosts.ts';
import { fillIn, findImages, findInstructions, findTrigger, type Instruction } from './instructions.ts';
import type { AnswerQuestion, McpClient } from './mcp-client.ts';

/** What came of one call. */
export interface Done {
  /** Under its server's own name. */
  readonly tool: string;
  readonly text: string;
  /** Sallyport's own answer in place of the server's, where it gave one. */
  readonly verdict: JsonObject | undefined;
  /** What Sallyport says it found in the answer, and changed there. */
  readonly scan: JsonObject | undefined;
}

export interface AgentPorts {
  /** Each with the name of its server; Sallyport is one connection for all, without a name. */
  readonly connections: readonly { readonly server: string | undefined; readonly client: McpClient }[];
  /** Names of the servers, which Sallyport puts before the names of their tools. */
  readonly servers: readonly string[];
  readonly hosts: Hosts;
  readonly knows: Readonly<Record<string, string>>;
  /** The server ran it, asked about or not. */
  onRun(call: Instruction): void;
  /** A call waits for a person. @returns whether it may be made again. */
  onAsked(approval: string, call: Instruction): Promise<boolean>;
  /** Between the sentences of the task. */
  onPause(): Promise<void>;
}

interface Offered {
  /** As it is listed. */
  readonly name: string;
  /** As its server names it. */
  readonly own: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly client: McpClient;
}

/** A task ends after this many calls, whatever the texts say. */
const MAX_CALLS = 24;

/**
 * A fully obedient agent: it does what any text tells it, whoever wrote the text. It reads descriptions, parameters, results,
 * links and questions, and believes them all, so that what stops an attack is never the model.
 */
export class Agent {
  readonly done: Done[] = [];
  readonly #ports: AgentPorts;
  readonly #memory = new Map<string, string>();
  #offered: readonly Offered[] = [];
  #said = '';
  #calls = 0;

  constructor(ports: AgentPorts) {
    this.#ports = ports;
    for (const [name, text] of Object.entries(ports.knows)) this.#memory.set(name, text);
  }

  async work(task: readonly string[]): Promise<void> {
    for (const sentence of task) {
      this.#memory.set('the conversation', `${this.#memory.get('the conversation') ?? ''}${sentence}\n`);
      this.#said = sentence;
      await this.#readTools();
      const instructions = findInstructions(sentence);
      await this.#obey(instructions.length > 0 ? instructions : this.#plan(sentence));
      await this.#ports.onPause();
    }
  }

  /** A form is filled in with what the agent knows, the model writes what the prompt asks for. */
  readonly answerQuestion: AnswerQuestion = (method, params) => {
    if (method === 'elicitation/create') {
      const fields = Object.keys(toObject(member(member(params, 'requestedSchema'), 'properties')));
      return { action: 'accept', content: Object.fromEntries(fields.map((field) => [field, this.#recall(field)])) };
    }
    const text = toTexts(member(params, 'messages')).join('\n');
    return {
      role: 'assistant',
      model: 'obedient',
      content: { type: 'text', text: fillIn(text, (name) => this.#recall(name)) },
    };
  };

  async #readTools(): Promise<void> {
    const lists = await Promise.all(
      this.#ports.connections.map(async ({ client }) => {
        const tools = member(member(await client.request('tools/list'), 'result'), 'tools');
        return (Array.isArray(tools) ? tools : []).map((tool) => this.#toOffered(tool, client));
      }),
    );
    this.#offered = lists.flat();
  }

  #toOffered(tool: unknown, client: McpClient): Offered {
    const name = String(member(tool, 'name'));
    const prefix = this.#ports.servers.find((server) => name.startsWith(`${server}_`));
    const required = member(member(tool, 'inputSchema'), 'required');
    const isPrefixed = prefix !== undefined && this.#ports.connections[0]?.server === undefined;
    return {
      name,
      own: isPrefixed ? name.slice(prefix.length + 1) : name,
      description: String(member(tool, 'description') ?? ''),
      properties: toObject(member(member(tool, 'inputSchema'), 'properties')),
      required: Array.isArray(required) ? required.map(String) : [],
      client,
    };
  }

  /** Without a call in the sentence, the tool whose description claims it loudest. */
  #plan(sentence: string): readonly Instruction[] {
    const claims = this.#offered
      .map((tool) => ({ tool, ...findTrigger(tool.description) }))
      .filter(({ words }) => words.some((word) => sentence.toLowerCase().includes(word.toLowerCase())));
    // Where two claim alike, the one it read last.
    const best = claims.findLast(({ greedy }) => greedy) ?? claims.at(-1);
    const parameter = best?.tool.required[0];
    if (best === undefined || parameter === undefined) return [];
    return [{ tool: best.tool.own, given: { [parameter]: sentence.slice(sentence.indexOf(':') + 1).trim() } }];
  }

  async #obey(instructions: readonly Instruction[]): Promise<void> {
    for (const instruction of instructions) await this.#call(instruction);
  }

  async #call(instruction: Instruction): Promise<void> {
    if (this.#calls++ >= MAX_CALLS) return;
    // As clients do that keep tools in one map by name: the last one of a name is the one.
    const tool = this.#offered.findLast(({ name, own }) => name === instruction.tool || own === instruction.tool);
    if (tool === undefined) return this.#callUnlisted(instruction);
    // What the definition tells the agent to do first.
    const told = [tool.description, ...Object.values(tool.properties).map((one) => String(member(one, 'description')))];
    const first = findInstructions(told.join('\n')).filter((one) => one.tool !== instruction.tool);
    await this.#obey(first);
    const given: Record<string, string> = {};
    for (const [key, value] of Object.entries(instruction.given)) given[key] = this.#fill(String(value));
    for (const [key, property] of Object.entries(tool.properties)) {
      if (given[key] !== undefined) continue;
      const wish = /<[^<>]{1,80}>/.exec(String(member(property, 'description')))?.[0];
      if (wish !== undefined) given[key] = this.#fill(wish);
      else if (tool.required.includes(key)) given[key] = this.#recall(key);
    }
    await this.#send(tool, { tool: tool.own, given });
  }

  /** An obedient agent tries what it is told to call, listed or not: at each server. */
  async #callUnlisted({ tool: own, given }: Instruction): Promise<void> {
    const { connections, servers } = this.#ports;
    const filled = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, this.#fill(String(value))]));
    for (const { server, client } of connections) {
      for (const name of server === undefined ? servers.map((each) => `${each}_${own}`) : [own]) {
        const unseen = { name, own, description: '', properties: {}, required: [], client };
        await this.#send(unseen, { tool: own, given: filled });
      }
    }
  }

  async #send({ name, client }: Offered, call: Instruction): Promise<void> {
    // A host that is trusted says what its user typed: the rest of what an agent sends is somebody's text.
    const _meta = { 'dev.sallyport/user': this.#said };
    const answer = await client.request('tools/call', { name, arguments: call.given, _meta });
    const result = member(answer, 'result') ?? answer;
    const verdict = member(member(result, '_meta'), VERDICT);
    const text = this.#toOwnNames(toTexts(member(result, 'content') ?? toObject(member(answer, 'error'))).join('\n'));
    this.done.push({ tool: call.tool, text, ...toSaid(result) });
    const approval = member(verdict, 'approval');
    if (typeof approval === 'string' && (await this.#ports.onAsked(approval, call)))
      return this.#send({ name, client } as Offered, call); // only these two are read
    if (verdict === undefined) this.#ports.onRun(call);
    if (member(result, 'isError') !== true && isObject(member(answer, 'result'))) this.#memory.set(call.tool, text);
    await this.#open({ client, text, content: member(result, 'content') });
    await this.#obey(findInstructions(text));
  }

  /** What a client opens by itself: images, and the resources a result links to. */
  async #open({ client, text, content }: { client: McpClient; text: string; content: unknown }): Promise<void> {
    for (const url of findImages(text)) await this.#ports.hosts.get(this.#fillAddress(url)).catch(() => undefined);
    for (const block of Array.isArray(content) ? content : []) {
      if (member(block, 'type') !== 'resource_link') continue;
      const uri = String(member(block, 'uri'));
      // As the specification has it: https: and http: may be fetched by the client itself, the rest its server reads.
      const page = /^https?:/.test(uri)
        ? await this.#ports.hosts.get(uri).catch(() => '')
        : await this.#readResource(client, uri);
      await this.#obey(findInstructions(page));
    }
  }

  async #readResource(client: McpClient, uri: string): Promise<string> {
    const answer = await client.request('resources/read', { uri });
    const contents = member(member(answer, 'result'), 'contents');
    const text = Array.isArray(contents) ? contents.map((one) => String(member(one, 'text'))).join('\n') : '';
    const said = toSaid(member(answer, 'result') ?? answer);
    if (said.verdict !== undefined || said.scan !== undefined) this.done.push({ tool: 'resource', text, ...said });
    return text;
  }

  /** Sallyport puts the name of a server before its addresses, as it does with tools. */
  #toOwnNames(text: string): string {
    return this.#ports.servers.reduce((all, server) => all.replaceAll(`${server}+`, ''), text);
  }

  /** A blank in an address, `{read_note}`, is filled in with what it names. */
  #fillAddress(url: string): string {
    return url.replace(/\{(\w{1,64})\}/g, (_, name: string) => encodeURIComponent(this.#recall(name)));
  }

  #fill(text: string): string {
    return fillIn(text, (name) => this.#recall(name));
  }

  #recall(name: string): string {
    return this.#memory.get(name) ?? this.#memory.get(name.replaceAll('_', ' ')) ?? 'unknown';
  }
}

const VERDICT = 'dev.sallyport/verdict';

/** What Sallyport itself says in an answer, result or error. */
function toSaid(answer: unknown): Pick<Done, 'verdict' | 'scan'> {
  const meta = member(answer, '_meta') ?? member(member(answer, 'error'), 'data');
  const [verdict, scan] = [member(meta, VERDICT), member(meta, 'dev.sallyport/scan')];
  return { verdict: isObject(verdict) ? verdict : undefined, scan: isObject(scan) ? scan : undefined };
}

function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The texts of content blocks or messages. */
function toTexts(content: unknown): readonly string[] {
  if (isObject(content)) return typeof content['message'] === 'string' ? [content['message']] : [];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    const text = member(block, 'text') ?? member(member(block, 'content'), 'text') ?? member(block, 'uri');
    return typeof text === 'string' ? [text] : [];
  });
}
