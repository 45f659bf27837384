/** The program behind `bin/up`: runs the steps, then says where Berth is. */
import { sentenceOf } from '../server/src/domain/errors.ts';
import { commandLineDigest } from './command-line-digest.ts';
import { exampleHost } from './example/application.ts';
import { machineAddresses, newFirstSignUpToken, signUpAddress } from './first-sign-up.ts';
import { workingOwner } from './example/first-user.ts';
import { parseUpFlags } from './settings/flags.ts';
import { makeContext } from './make-context.ts';
import { upResult } from './result-line.ts';
import { runSteps } from './run-steps.ts';
import { upSteps } from './steps.ts';

async function main(argv: readonly string[]): Promise<void> {
  const flags = parseUpFlags(argv);
  const start = performance.now();
  const context = makeContext(flags);
  await runSteps(upSteps, context);
  const credentials = await workingOwner(context);
  const token = await newFirstSignUpToken(context);
  const signUpUrl = token === undefined ? null : signUpAddress(context.settings, token, machineAddresses());
  const result = {
    ...upResult(context.settings, credentials, exampleHost),
    signUpToken: token ?? null,
    signUpUrl,
  };
  console.log(`\nBerth is at ${result.url} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  if (context.settings.chosen.BERTH_PUBLIC_HOST !== undefined)
    console.log(
      `From elsewhere it is at https://${context.settings.chosen.BERTH_PUBLIC_HOST} as soon as its ` +
        'certificate is there',
    );
  if (flags.restore !== undefined)
    console.log('Sign in with an account of the backup. Then restore each database from its own backups.');
  else if (signUpUrl !== null)
    console.log(`Make the first account, which becomes the Owner, here; it works once:\n  ${signUpUrl}`);
  else if (credentials !== undefined)
    console.log(`Sign in as ${credentials.email}; the password is in ${context.layout.credentials}`);
  if (result.exampleUrl !== null) console.log(`The example is at ${result.exampleUrl}`);
  const digest = commandLineDigest(context.product);
  if (digest !== undefined)
    console.log(`The command line for other machines is at /cli/berth.mjs; its SHA-256 is ${digest}`);
  console.log('./bin/down stops what this command started.');
  if (flags.json) console.log(JSON.stringify(result));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`\n${sentenceOf(error)}`);
  process.exitCode = 1;
}
