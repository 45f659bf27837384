import { expect, test } from 'vitest';
import type { LoggedLine, LogPlace } from '../../ports/deployment-log.ts';
import { readPage } from './log-page.ts';

const all: LoggedLine[] = Array.from({ length: 10 }, (_, index) => ({
  position: (index + 1) * 10,
  text: index % 3 === 0 ? `ERROR ${index}` : `line ${index}`,
}));
let read = 0;
const logs = {
  async *lines(_deploymentId: string, place: LogPlace): AsyncGenerator<LoggedLine> {
    const found =
      'from' in place
        ? all.filter(({ position }) => position > place.from)
        : all.filter(({ position }) => position < (place.before ?? 1000)).toReversed();
    for (const line of found) {
      read += 1;
      yield line;
    }
  },
};
const limits = { lines: 4, bytes: 1000 };
const positions = (lines: readonly LoggedLine[]): number[] => lines.map(({ position }) => position);

async function everyPage(first: LogPlace, search?: string, { lines, bytes } = limits): Promise<number[][]> {
  const pages: number[][] = [];
  for (let place: LogPlace | undefined = first; place !== undefined; ) {
    const page = await readPage(logs, 'd1', place, search, { lines, bytes });
    pages.push(positions(page.lines));
    const { next } = page;
    place = next === null ? undefined : 'from' in first ? { from: next } : { before: next };
  }
  return pages;
}

test('pages go through the whole log either way, each line once and in the order of the log', async () => {
  expect(await everyPage({ from: 0 })).toEqual([
    [10, 20, 30, 40],
    [50, 60, 70, 80],
    [90, 100],
  ]);
  expect(await everyPage({ before: undefined })).toEqual([
    [70, 80, 90, 100],
    [30, 40, 50, 60],
    [10, 20],
  ]);
});

test('a last page that is full says that nothing follows', async () => {
  expect(await everyPage({ from: 60 })).toEqual([[70, 80, 90, 100]]);
  expect(await everyPage({ before: 50 })).toEqual([[10, 20, 30, 40]]);
});

test('a search finds capital and small letters, with the positions of what it found', async () => {
  expect(await everyPage({ from: 0 }, 'error')).toEqual([[10, 40, 70, 100]]);
  expect(await everyPage({ before: undefined }, 'eRRor', { ...limits, lines: 3 })).toEqual([
    [40, 70, 100],
    [10],
  ]);
  expect(await everyPage({ from: 0 }, 'absent')).toEqual([[]]);
});

test('one answer looks through so many bytes and no more, and says where to go on', async () => {
  read = 0;
  const page = await readPage(logs, 'd1', { from: 0 }, 'absent', { lines: 4, bytes: 20 });
  expect(page).toEqual({ lines: [], next: 30 });
  expect(read).toBe(4);
  expect((await everyPage({ from: 0 }, 'error 9', { lines: 4, bytes: 20 })).flat()).toEqual([100]);
});
