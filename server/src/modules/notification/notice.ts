/** What a stored message says, for whatever channel. Pure. */
import type { StoredNotice } from '../../db/stored-types.ts';
import { factEventOf, factEvents, type FactTone } from '../../domain/states/fact.ts';
import type { Notice } from './channels/channel.ts';

export function noticeOf({ id, at, subject, sentences, counts }: StoredNotice, isSummary: boolean): Notice {
  const kinds = Object.entries(counts).map(([event, count]) => ({ event: factEventOf(event), count }));
  const count = kinds.reduce((sum, kind) => sum + kind.count, 0);
  const [first] = kinds;
  const tone = toneOf(kinds.map(({ event }) => factEvents[event].tone));
  if (!isSummary && first)
    return {
      id,
      event: first.event,
      tone,
      at,
      title: `${factEvents[first.event].title}${subject ? `: ${subject.name}` : ''}`,
      message: sentences.join('\n'),
      subject,
      count,
    };
  const list = kinds.map((kind) => `${kind.count} × ${factEvents[kind.event].title}`);
  const words =
    kinds.length === 1 && first ? `${first.count} × ${factEvents[first.event].title}` : `${count} events`;
  return {
    id,
    event: 'summary',
    tone,
    at,
    title: `Summary: ${words}${subject ? `: ${subject.name}` : ''}`,
    message: [
      `Since ${at}: ${list.join(', ')}.`,
      count > sentences.length ? `The last ${sentences.length}:` : 'In order:',
      ...sentences,
    ].join('\n'),
    subject,
    count,
  };
}

export function testNotice(id: string, at: string, name: string): Notice {
  return {
    id,
    event: 'test',
    tone: 'neutral',
    at,
    title: 'Test message',
    message: `Berth can reach the channel ${name}.`,
    subject: null,
    count: 1,
  };
}

function toneOf(tones: readonly FactTone[]): FactTone {
  return tones.includes('bad') ? 'bad' : (tones[0] ?? 'neutral');
}
