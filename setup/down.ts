/** The program behind `bin/down`: stops Berth, and the engine where bin/up had started it itself. */
import { AppError, sentenceOf } from '../server/src/domain/errors.ts';
import { makeContext } from './make-context.ts';
import { purge } from './purge/purge.ts';
import { runSteps } from './run-steps.ts';
import { downSteps } from './down-steps.ts';

async function main(argv: readonly string[]): Promise<void> {
  const unknown = argv.find((word) => word !== '--purge' && word !== '--yes');
  if (unknown !== undefined)
    throw new AppError('BAD_REQUEST', `bin/down does not know "${unknown}". It knows --purge and --yes.`);
  if (argv.includes('--yes') && !argv.includes('--purge'))
    throw new AppError('BAD_REQUEST', '--yes is for --purge, which asks; bin/down alone does not.');
  const context = makeContext({ example: false, json: false }, { makesFolder: false });
  if (argv.includes('--purge')) return purge(context, argv.includes('--yes'));
  await runSteps(downSteps, context);
  console.log(
    `\nAll data stays in ${context.layout.data} and in the engine's volumes. ./bin/up starts everything ` +
      'again; ./bin/down --purge removes it.',
  );
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`\n${sentenceOf(error)}`);
  process.exitCode = 1;
}
