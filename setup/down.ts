/** The program behind `bin/down`: stops Berth, and the engine where bin/up had started it itself. */
import { AppError, sentenceOf } from '../server/src/domain/errors.ts';
import { makeContext } from './make-context.ts';
import { runSteps } from './run-steps.ts';
import { downSteps } from './down-steps.ts';

async function main(argv: readonly string[]): Promise<void> {
  const [word] = argv;
  if (word !== undefined)
    throw new AppError('BAD_REQUEST', `bin/down does not know "${word}". It takes no arguments.`);
  const context = makeContext({ example: false, json: false });
  await runSteps(downSteps, context);
  console.log(
    `\nAll data stays in ${context.layout.data} and in the engine's volumes. ./bin/up starts everything ` +
      'again.',
  );
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`\n${sentenceOf(error)}`);
  process.exitCode = 1;
}
