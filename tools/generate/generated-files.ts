/** Everything that is made from the definitions and committed. The same input gives the same bytes. */
import { readFileSync } from 'node:fs';
import { contracts } from '../../server/src/modules/contracts.ts';
import { listProcedures } from '../../server/src/procedure/describe/listing.ts';
import { berthFileSchema } from '../../server/src/transport/openapi/berth-file-schema.ts';
import { createOpenapi } from '../../server/src/transport/openapi/openapi.ts';
import { accessPage } from './access-page.ts';
import { channelListFile } from './channel-list.ts';
import { composeKeysPage } from './compose-keys.ts';
import { formFieldsFile } from './form-fields.ts';
import { keyActionsFile } from './key-actions.ts';
import { procedureKindsFile } from './procedure-kinds.ts';
import { indexPage, page, routerPage } from './reference.ts';

/** Holds generated files only: whatever else lies there is stale. */
export const generatedFolder = 'docs/reference';

/** Path from the root → content. */
export function generatedFiles(root: string): Map<string, string> {
  const procedures = listProcedures(contracts);
  const pages = [...Map.groupBy(procedures, ({ router }) => router)].map(
    ([router, own]): [string, string] => [`${generatedFolder}/${router}.md`, routerPage(router, own)],
  );
  return new Map([
    [
      `${generatedFolder}/openapi.json`,
      `${JSON.stringify(createOpenapi(procedures, versionOf(root)), null, 1)}\n`,
    ],
    [`${generatedFolder}/berth-file.schema.json`, berthFileSchema()],
    [`${generatedFolder}/README.md`, indexPage(procedures)],
    [`${generatedFolder}/access.md`, page(...accessPage(procedures))],
    [`${generatedFolder}/compose-keys.md`, page(...composeKeysPage())],
    ...pages,
    ['client/procedure-kinds.ts', procedureKindsFile(procedures)],
    channelListFile(root),
    ['web/src/generated/form-fields.json', formFieldsFile(procedures)],
    ['web/src/generated/key-actions.json', keyActionsFile()],
  ]);
}

function versionOf(root: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  return version;
}
