/** Programs that find out by themselves how a source is built, and where their releases are. */
import { badField } from './errors.ts';

export const builderPrograms = ['nixpacks', 'railpack', 'pack'] as const;
export type BuilderProgramName = (typeof builderPrograms)[number];

/** The last part of an address, without what is asked of it. */
export const fileNameOf = (address: string): string => new URL(address).pathname.split('/').at(-1) ?? '';

/** The program that an address is a release of, by the beginning of its file name; undefined for others. */
export function builderProgramOf(address: string): BuilderProgramName | undefined {
  const name = URL.canParse(address) ? fileNameOf(address) : '';
  return builderPrograms.find((program) => name === program || name.startsWith(`${program}-`));
}

/** An address of a release as the settings keep it; throws BAD_REQUEST with what it must be. */
export function parseRelease(address: string, field = 'builderReleases'): string {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw badField(field, 'must be an https address, such as https://releases.example.com/pack-v1-linux.tgz');
  const { username, password } = new URL(address);
  if (username !== '' || password !== '') throw badField(field, 'must hold no user and no password');
  if (builderProgramOf(address) === undefined)
    throw badField(field, `must end in a file name that begins with ${builderPrograms.join('-, ')}-`);
  return address;
}
