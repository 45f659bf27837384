/** Follows live logs as an EventSource does (server-sent events, WHATWG HTML 9.2), and can be cut. */
import { request } from 'node:http';
import type { BerthHost } from './berth-host.ts';

export interface LogEvent {
  id: string;
  type: string;
  data: { type: string; text?: string; outcome?: string };
}

export interface Following {
  lastEventId?: string;
  /** Cuts the connection after so many events. */
  cutAfter?: number;
  /** Cuts the connection after this event. */
  until?(event: LogEvent): boolean;
}

/** The events of a deployment's log; stops by itself at the end of the stream. */
export function followLog(
  berth: BerthHost,
  deploymentId: string,
  options: Following = {},
): Promise<LogEvent[]> {
  return followStream(berth, 'deployment.logs', { deploymentId }, options);
}

/** The events of a stream after `lastEventId`. */
export function followStream(
  berth: BerthHost,
  procedure: string,
  input: object,
  { lastEventId, cutAfter = Infinity, until = () => false }: Following = {},
): Promise<LogEvent[]> {
  const url = `${berth.url}/api/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`;
  const headers = {
    ...berth.signed(),
    accept: 'text/event-stream',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  return new Promise((resolve, reject) => {
    const events: LogEvent[] = [];
    let rest = '';
    const call = request(url, { headers, agent: false, timeout: 60_000 }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The stream was answered ${response.statusCode}.`));
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        let isCut = false;
        for (const event of blocks.flatMap(eventOf)) {
          if (isCut) break;
          events.push(event);
          isCut = events.length >= cutAfter || until(event);
        }
        if (isCut) {
          resolve(events);
          call.destroy();
        }
      });
      response.once('end', () => resolve(events));
      response.once('error', () => resolve(events));
    });
    call.once('timeout', () => call.destroy(new Error('The stream was silent for 60 s.')));
    call.once('error', reject);
    call.end();
  });
}

/** Nothing for a comment. */
function eventOf(block: string): LogEvent[] {
  const fields = new Map(
    block
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]),
  );
  const data = fields.get('data');
  return data === undefined
    ? []
    : [{ id: fields.get('id') ?? '', type: fields.get('event') ?? 'message', data: JSON.parse(data) }];
}
