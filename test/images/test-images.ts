/** Images that tests need besides those that Berth ships recipes of. */
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../../images/build-context.ts';
import type { Extra, ImageRows } from '../../images/image-row.ts';
import { images } from '../../images/images.ts';

const recipe = (name: string): string => `test/images/recipes/${name}`;

/** What lies on a mirror of unstable may be older than its lists are valid. */
export const aptOptions = ['Acquire::Check-Valid-Until "false"'];

/** The stand-in speaks and asks in the words of the tests' own client. */
const mongoClient: Extra = {
  lay: (context) => copyPackages(['mongodb'], join(context, 'packages')),
  text: () => readFile(join(repositoryRoot, 'node_modules', 'mongodb', 'package.json'), 'utf8'),
};

/** All that hosts of the bed have. */
export const testImages = {
  ...images,
  'berth/debian:unstable': { suite: 'sid', use: 'Debian unstable, minimal' },
  'berth/postgres:18': {
    recipe: images['berth/postgres:17'].recipe,
    from: 'berth/debian:unstable',
    args: { MAJOR: '18', PLACE: '/var/lib/postgresql', DATA: '/var/lib/postgresql/18/docker' },
    use: 'PostgreSQL 18, whose official image keeps its data elsewhere',
  },
  'berth/mysql:9.7': { recipe: recipe('mysql'), from: 'berth/debian:unstable', use: 'MySQL 9.7' },
  'berth/python:3.11': {
    recipe: recipe('python'),
    from: 'berth/debian:12',
    use: 'Python 3.11, for a sample',
  },
  'berth/mongo:7': {
    recipe: recipe('mongo'),
    from: 'berth/node:24',
    extra: mongoClient,
    use: 'a stand-in for MongoDB, whose server no package has',
  },
} as const satisfies ImageRows;

/** These packages of the project and all that they need. */
async function copyPackages(
  names: readonly string[],
  target: string,
  done = new Set<string>(),
): Promise<void> {
  for (const name of names) {
    if (done.has(name)) continue;
    done.add(name);
    const folder = join(repositoryRoot, 'node_modules', name);
    await cp(folder, join(target, name), { recursive: true });
    const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(
      await readFile(join(folder, 'package.json'), 'utf8'),
    );
    await copyPackages(Object.keys(dependencies), target, done);
  }
}
