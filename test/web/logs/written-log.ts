/** The log of a world's deployment, as Berth would have written it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Program } from '../../world/program.ts';
import type { World } from '../../world/world.ts';

/** All of one moment. */
const at = '2026-06-03T00:00:00.000Z';

export async function writeLog(
  { dataFolder }: Pick<Program, 'dataFolder'>,
  { own }: Pick<World, 'own'>,
  texts: readonly string[],
): Promise<void> {
  const folder = join(dataFolder, 'logs');
  await mkdir(folder, { recursive: true });
  const lines = texts.map((text) => `${at} ${text}\n`);
  await writeFile(join(folder, `${own['deploymentId'] ?? ''}.log`), lines.join(''));
}
