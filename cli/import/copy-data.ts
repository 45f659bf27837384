/** `berth import dokploy --data`: the data of each database there into ours of the same name. */
import { exitCodes } from '../exit-codes.ts';
import { confirm } from '../terminal.ts';
import type { BackupKindName } from '../../server/src/modules/database/kinds.ts';
import { UsageError } from '../usage-error.ts';
import type { Context } from '../words/parts/context.ts';
import { copyDatabase, copyInput, isCopied } from '../words/parts/database-copies.ts';
import { allServices, wholeNameOf, type Service } from '../words/parts/services.ts';
import type { FamilySource } from './dokploy.ts';
import { familyDatabases, type OtherDatabase } from './dokploy-data.ts';

interface Copy {
  to: Service;
  kind: BackupKindName;
  address: string;
}

/** Gives 0 when every database that is there on both sides was copied, 1 otherwise. */
export async function copyData(context: Context, source: FamilySource): Promise<number> {
  const { client } = await context.berth();
  const { project, databases } = await familyDatabases(source);
  const services = (await allServices(client)).filter(
    (one) => one.project.name === (context.text('name') ?? project),
  );
  const judged = databases.map((other) => judge(other, services));
  const copies = judged.filter((one): one is Copy => typeof one !== 'string');
  for (const reason of judged) if (typeof reason === 'string') context.say(`· ${reason}`);
  if (copies.length === 0) throw new UsageError('There is nothing to copy.');
  const names = copies.map(({ to }) => wholeNameOf(to));
  await confirm(
    context.terminal,
    `What is in ${names.join(', ')} is replaced where it has the same name there.`,
    context.is('yes'),
  );
  const copied: string[] = [];
  for (const { to, kind, address } of copies) {
    context.say(`── ${wholeNameOf(to)}, from ${new URL(address).host}`);
    if ((await copyDatabase(context, to, kind, copyInput(kind, address))) === exitCodes.done)
      copied.push(wholeNameOf(to));
  }
  const failed = names.filter((name) => !copied.includes(name));
  context.answer(
    { copied, failed },
    () =>
      `Copied ${copied.join(', ') || 'none'}.\n` +
      (failed.length === 0 ? '' : `Not copied, as said above: ${failed.join(', ')}.\n`),
  );
  return failed.length === 0 && copies.length === judged.length ? exitCodes.done : exitCodes.refused;
}

/** What is copied into what, or why it is not. */
function judge(other: OtherDatabase, services: readonly Service[]): Copy | string {
  const { environment, name, appName, kind, address } = other;
  const where = `${environment}/${name}`;
  if (!isCopied(kind))
    return `${where}: the data of ${kind} is not copied; it is made again by those who use it.`;
  const to = services.find(
    (one) =>
      one.environment.name === environment &&
      one.kind === kind &&
      (one.name === name || one.name === appName),
  );
  if (!to) return `${where}: there is none here. Run \`berth apply\` first.`;
  if (address === undefined)
    return `${where}: its port is not published there. Publish it, and close it again after this.`;
  return { to, kind, address };
}
