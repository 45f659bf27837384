export interface ServerSentEvent {
  event: string;
  id: string | undefined;
  data: string;
}

/** Takes a stream of bytes apart into events (HTML standard, Server-sent events); comments are left out. */
export async function* serverSentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) yield event;
    }
  }
}

function eventOf(block: string): ServerSentEvent | undefined {
  const event: ServerSentEvent = { event: 'message', id: undefined, data: '' };
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name === 'event') event.event = value;
    if (name === 'id') event.id = value;
    if (name === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { ...event, data: data.join('\n') };
}
