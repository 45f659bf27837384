import { expect, test } from 'vitest';
import { AppError } from '../../domain/errors.ts';
import type { ExecResult } from '../../ports/engine/engine-program.ts';
import { askUntilAnswered } from './ask-server.ts';

const understanding = {
  understand: (output: string) => /^version (\S+)/.exec(output)?.[1],
  refusal: (words: string) => `The server refuses the user: ${words}`,
};
const ended = (exitCode: number, stdout: string, stderr = ''): ExecResult => ({ exitCode, stdout, stderr });
const ask = (answers: readonly (ExecResult | AppError)[], limitMs: number): Promise<string> => {
  const left = [...answers];
  const next = async (): Promise<ExecResult> => {
    const answer = left.shift();
    if (answer === undefined || answer instanceof AppError)
      throw answer ?? new Error('Asked once too often.');
    return answer;
  };
  return askUntilAnswered(next, understanding, { signal: new AbortController().signal, limitMs });
};

test('asks again until the answer is understood', async () => {
  const starting = ended(1, '', 'the server is starting');
  expect(await ask([starting, ended(0, 'not yet'), ended(0, 'version 15.1')], 60_000)).toBe('15.1');
});

test('says that the server refuses the user when its client said so to the end', async () => {
  const refusing = ended(1, '', "Access denied for user 'ann'\n");
  await expect(ask([refusing], -1)).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: "The server refuses the user: Access denied for user 'ann'",
  });
});

test('does not take a client that was late for a server that refuses the user', async () => {
  const late = new AppError('PRECONDITION_FAILED', 'A program did not end within 120 s.');
  await expect(ask([late], -1)).rejects.toBe(late);
});
