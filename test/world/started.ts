/** Berth started on worlds: what most suites of the whole interface begin with. */
import { hashPassword } from '../../server/src/modules/user/sign-in/password.ts';
import { password } from './inputs.ts';
import { startProgram, type Program, type ProgramOptions } from './program.ts';
import { seedWorlds, type World } from './world.ts';

export interface Started {
  program: Program;
  /** Its organization is the installation's first. */
  first: World;
  /** The others. */
  worlds: World[];
}

/**
 * With so many worlds besides the first. Everybody has the password of the inputs where `withPasswords` says
 * so; its hash takes a moment.
 */
export async function startWithWorlds(
  others = 0,
  { withPasswords = false, ...options }: Omit<ProgramOptions, 'prepare'> & { withPasswords?: boolean } = {},
): Promise<Started> {
  let seeded: World[] = [];
  const program = await startProgram({
    ...options,
    async prepare(database) {
      seeded = await seedWorlds(database, others + 1, {
        isInstallations: true,
        ...(withPasswords ? { passwordHash: await hashPassword(password) } : {}),
      });
    },
  });
  const [first, ...worlds] = seeded;
  if (!first) throw new Error('There is no world.');
  return { program, first, worlds };
}
