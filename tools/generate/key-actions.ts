/** What an API key can be narrowed to, for the dashboard: router → actions. */
import { contracts } from '../../server/src/modules/contracts.ts';
import { terminalContract } from '../../server/src/modules/terminal/contract.ts';
import { keyScopes } from '../../server/src/procedure/describe/listing.ts';

export function keyActionsFile(): string {
  const scopes = [...keyScopes({ ...contracts, terminal: terminalContract })];
  const lines = scopes.map(
    ([router, actions]) => ` ${JSON.stringify(router)}: ${JSON.stringify([...actions])}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}
