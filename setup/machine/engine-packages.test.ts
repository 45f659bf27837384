import { expect, test } from 'vitest';
import { enginePackagesOf } from './engine-packages.ts';

const release = (...lines: string[]): string => `PRETTY_NAME="x"\n${lines.join('\n')}\n`;

test.each([
  ['Debian 12', release('VERSION_ID="12"', 'ID=debian'), ['docker.io'], true],
  ['Debian 13', release('VERSION_ID="13"', 'ID=debian'), ['docker-cli', 'docker-buildx'], true],
  ['unstable', release('VERSION_CODENAME=forky', 'ID=debian'), ['docker-cli', 'docker-buildx'], true],
  [
    'Ubuntu 24.04',
    release('ID=ubuntu', 'ID_LIKE=debian', 'VERSION_ID="24.04"'),
    ['docker.io', 'docker-buildx'],
    false,
  ],
  ['another', release('ID=mint'), ['docker-cli', 'docker-buildx'], false],
  ['an older Debian', release('VERSION_ID="11"', 'ID=debian'), ['docker-cli', 'docker-buildx'], false],
  ['nothing', '', ['docker-cli', 'docker-buildx'], false],
])('%s', (_name, text, client, tried) => {
  expect(enginePackagesOf(text)).toMatchObject({ client, tried });
});
