/**
 * Which procedures let a caller run a program of their choice with a service's variables, and what that
 * takes. The walk finds them by their inputs, so that a new one has to be decided about here.
 */
import { expect, it } from 'vitest';
import { programGrant } from '../../server/src/domain/access/permissions.ts';
import { propertiesOf } from '../../server/src/procedure/describe/describe-type.ts';
import { inlineSchemaOf } from '../../server/src/procedure/describe/json-schema.ts';
import { databaseKindNames } from '../../server/src/domain/database-kind.ts';
import { terminalContract } from '../../server/src/modules/terminal/contract.ts';
import { procedures } from '../e2e/fixtures/caller.ts';

/**
 * grant: the procedure needs it; field: that field does; deployed: a setting of what is deployed, as source
 * and image are, which whoever may deploy decides.
 */
const decided: Readonly<Record<string, 'grant' | 'field' | 'deployed'>> = {
  'application.run command': 'grant',
  'schedule.create command': 'grant',
  'schedule.update command': 'grant',
  'terminal.open command': 'grant',
  'application.update postReleaseCommand': 'field',
  'application.update preReleaseCommand': 'field',
  'application.update command': 'deployed',
  ...Object.fromEntries(databaseKindNames.map((kind) => [`${kind}.update command`, 'deployed' as const])),
};

it('asks for the grant wherever a program of the caller runs', () => {
  const terminal = { path: 'terminal.open', procedure: terminalContract.open };
  const found = [...procedures, terminal].flatMap(({ path, procedure }) =>
    propertiesOf(inlineSchemaOf(procedure.input, 'input'))
      .map(({ name }) => name)
      .filter((name) => /command/i.test(name))
      .map((name) => ({ path, name, access: procedure.access })),
  );
  const judged = Object.fromEntries(
    found.map(({ path, name, access }) => [
      `${path} ${name}`,
      [access.grant].flat().includes(programGrant)
        ? 'grant'
        : access.fieldGrants?.some(({ field, grant }) => field === name && grant === programGrant)
          ? 'field'
          : access.class === 'protected'
            ? 'deployed'
            : access.class,
    ]),
  );
  expect(judged).toEqual(decided);
});
