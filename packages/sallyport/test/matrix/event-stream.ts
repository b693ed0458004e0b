export interface Event {
  readonly name: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** The events of a text/event-stream body, strictly: what is neither field nor comment is an error. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<Event> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = toEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

function toEvent(block: string): Event | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) continue;
    const match = /^(event|data|id|retry): ?(.*)$/s.exec(line);
    if (match?.[1] === undefined || fields.has(match[1])) throw new Error(`not an event: ${JSON.stringify(block)}`);
    fields.set(match[1], match[2] ?? '');
  }
  const data = fields.get('data');
  return data === undefined ? undefined : { name: fields.get('event') ?? 'message', data, id: fields.get('id') };
}
