/** Where Berth is, as a person writes it: with a scheme, or without one. */
import { UsageError } from '../usage-error.ts';
import type { Terminal } from '../terminal.ts';

const withScheme = /^https?:\/\//i;
const ownMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/i;

/**
 * The address with its scheme: without one http for this machine, else https. Throws UsageError, naming where
 * it was written, when it is none.
 */
export function addressOf(text: string, from: string): string {
  const address = withScheme.test(text) ? text : `${ownMachine.test(text) ? 'http' : 'https'}://${text}`;
  if (text.replace(withScheme, '').includes('://') || !URL.canParse(address))
    throw new UsageError(
      `${from} is "${text}", which is not an address. Give one such as https://berth.example.com.`,
    );
  return address;
}

/** What to try where nobody answers at an address whose scheme was guessed; empty where it was not. */
export function schemeHint({ environment }: Pick<Terminal, 'environment'>, argv: readonly string[]): string {
  const at = argv.findIndex((word) => word === '--url' || word.startsWith('--url='));
  const written = at < 0 ? environment['BERTH_URL'] : (argv[at]?.split('=')[1] ?? argv[at + 1]);
  if (!written || withScheme.test(written) || ownMachine.test(written)) return '';
  return (
    `"${written}" has no scheme, so https:// was tried. If Berth answers without TLS, write ` +
    `http://${written}.\n`
  );
}
