import { logEvent } from '../../server/src/procedure/log-event.ts';
import type { Terminal } from '../terminal.ts';
import { printableJson, printableLine } from './printable.ts';

/**
 * A log line as its text, anything else as one line of JSON. Says whether the event tells of a failed end.
 */
export function printEvent(
  event: unknown,
  terminal: Pick<Terminal, 'out' | 'isTerminal'>,
): 'failed' | 'fine' {
  const known = logEvent.safeParse(event);
  if (!known.success) {
    terminal.out(`${printableJson(event)}\n`);
    return 'fine';
  }
  if (known.data.type === 'line') {
    terminal.out(`${printableLine(known.data.text, terminal.isTerminal)}\n`);
    return 'fine';
  }
  return known.data.outcome === 'error' || known.data.outcome === 'cancelled' ? 'failed' : 'fine';
}
