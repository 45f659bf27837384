/** Tells once that another version of Berth runs. */
import type { TellFact } from '../../domain/states/fact.ts';

export interface UpgradePorts {
  version: string;
  /** What ran at the last start; undefined: none was noted. */
  former(): Promise<string | undefined>;
  note(version: string): Promise<void>;
  /** The installation's own organization; undefined before the first account. */
  organization(): Promise<string | undefined>;
  tell: TellFact;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export async function tellUpgrade({
  version,
  former,
  note,
  organization,
  tell,
  transaction,
}: UpgradePorts): Promise<void> {
  await transaction(async () => {
    const before = await former();
    if (before === version) return;
    await note(version);
    const organizationId = await organization();
    if (before === undefined || organizationId === undefined) return;
    await tell({
      event: 'installationUpgraded',
      organizationId,
      subject: { type: 'installation', id: 'berth', name: 'Berth' },
      sentence: `Berth runs version ${version} now; before it was ${before}.`,
    });
  });
}
