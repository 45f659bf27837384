import { expect, test } from 'vitest';
import { createLog } from './log.ts';

const linesOf = (level: Parameters<typeof createLog>[0]): [ReturnType<typeof createLog>, string[]] => {
  const lines: string[] = [];
  return [createLog(level, (line) => void lines.push(line)), lines];
};

test('writes one JSON line for each, with level and time first and the message last', () => {
  const [log, lines] = linesOf('info');
  log.info('Berth answers', { port: 3000, absent: undefined });
  log.warn('two\nlines');
  expect(lines[0]).toMatch(
    /^\{"level":"info","time":"\d{4}-\d\d-\d\dT[\d:.]+Z","port":3000,"msg":"Berth answers"\}\n$/,
  );
  expect(lines.map((line) => line.split('\n').length)).toEqual([2, 2]);
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ level: 'warn', msg: 'two\nlines' });
});

test('leaves out what is below its level, and never a fault', () => {
  const [log, lines] = linesOf('error');
  log.info('nothing');
  log.warn('nothing');
  const id = log.fault(new Error('why', { cause: new Error('deeper') }), 'project.all');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', id, where: 'project.all' });
  expect(lines[0]).toContain('deeper');
});

test('takes secrets out of what it writes', () => {
  const [log, lines] = linesOf('info');
  log.info('Fetched https://user:geheim@example.com/repository.git');
  expect(lines[0]).not.toContain('geheim');
});
