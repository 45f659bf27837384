import { expect, test } from 'vitest';
import type { LogLine } from '../../../ports/engine/engine.ts';
import { createLogWindow } from './log-window.ts';

const line = (second: number, text: string, stream: LogLine['stream'] = 'stdout'): LogLine => ({
  at: `2026-11-20T11:17:${String(second).padStart(2, '0')}.000000000Z`,
  stream,
  taskId: 't1',
  nodeId: 'n1',
  text,
});

function reading() {
  const seen: string[] = [];
  const window = createLogWindow(({ text }) => void seen.push(text));
  return {
    seen,
    window,
    read(...lines: LogLine[]): void {
      const take = window.begin();
      for (const one of lines) take(one);
    },
  };
}

test('what was seen is not seen again, and nothing between is lost', () => {
  const { seen, window, read } = reading();
  read(line(1, 'a'), line(2, 'b'), line(2, 'b'), line(2, 'c'));
  expect(window.since()).toEqual({ since: '2026-11-20T11:17:01.000Z' });
  read(line(1, 'a'), line(2, 'b'), line(2, 'b'), line(2, 'c'), line(2, 'd'), line(2, 'd'), line(3, 'e'));
  read(line(2, 'd'), line(3, 'e'), line(3, 'f'));
  expect(seen).toEqual(['a', 'b', 'b', 'c', 'd', 'd', 'e', 'f']);
});

test('each stream stands for itself', () => {
  const { seen, read } = reading();
  read(line(5, 'out'));
  read(line(4, 'err', 'stderr'), line(5, 'out'), line(5, 'err', 'stderr'));
  expect(seen).toEqual(['out', 'err', 'err']);
});

test('the engine is heard once, and the first reading begins at the beginning', () => {
  const { seen, window, read } = reading();
  expect(window.since()).toEqual({});
  const remark: LogLine = { at: '', stream: 'stderr', taskId: '', nodeId: '', text: 'warning' };
  read(remark, line(1, 'a'));
  read(remark, line(1, 'a'));
  expect(seen).toEqual(['warning', 'a']);
});
