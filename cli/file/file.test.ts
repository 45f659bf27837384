import { describe, expect, test } from 'vitest';
import { newApplication } from '../../server/src/modules/application/defaults.ts';
import { settingsOf } from '../../server/src/deploy/inputs/application-inputs.ts';
import { applicationSettings } from '../../server/src/modules/berth-file/record.ts';
import { canonical, causeOf, defaultOf } from './kinds.ts';
import { parseBerthFile } from './read-file.ts';

const fresh = newApplication({
  applicationId: '',
  organizationId: '',
  environmentId: '',
  name: '',
  appName: '',
  description: '',
  refreshToken: '',
  createdAt: '',
});

describe('what is wrong with a file is told with where', () => {
  test.each([
    [
      'project: a\nservices:\n  web:\n    kind: application\n    replica: 2\n',
      'berth.yml:3:3: services.web has no key replica. Did you mean replicas?',
    ],
    ['project: a\nservice: {}\n', 'berth.yml: the file has no key service. Did you mean services?'],
    ['project: a\n  x: [', /^berth\.yml:1: [^\n]*[^:]$/],
    ['project: a\nservices:\n  db:\n    kind: postgers\n', 'berth.yml:4:5: services.db.kind'],
    ['project: a\nservices:\n  db: { kind: redis, backups: [] }\n', 'has no key backups'],
    ['project: a\nservices:\n  db: { kind: mysql, recovery: null }\n', 'has no key recovery'],
    [
      'project: a\nservices:\n  db: { kind: postgres, recovery: { keepDays: 7 } }\n',
      'services.db.recovery.destinationId is required',
    ],
    ['project: a\nservices:\n  db: { kind: redis, databasePassword: x }\n', 'has no key databasePassword'],
    [
      'project: a\nservices:\n  web: { kind: application, memoryLimit: lots }\n',
      'berth.yml:3:29: services.web.memoryLimit must be like 512m',
    ],
    ['project: a\nproject: b\n', 'berth.yml:2: Map keys must be unique'],
    ['project: a\nservices: [', 'berth.yml:2'],
    ['services: {}\n', 'berth.yml: project is required'],
    ['', 'berth.yml: the file must be an object, not null'],
    [
      'project: a\nservices: { web: {} }\n',
      'berth.yml:2:13: services.web.kind must be one of "application", "compose"',
    ],
    [
      'project: a\nservices:\n  web: { kind: application, replicas: -1 }\n',
      'services.web.replicas must be at least 0; it is -1',
    ],
    ['project: a\nvariables: { A: [1] }\n', 'variables.A must be a text, a number, true or false'],
    ['project: *missing\n', 'berth.yml: its aliases cannot be resolved'],
    [
      'project: a\nservices: {}\nenvironments: { production: { services: {} } }\n',
      'services are given at the top level and in environments.production',
    ],
  ])('%j', (text, sentence) => {
    expect(() => parseBerthFile(text, 'berth.yml')).toThrow(sentence);
  });

  test('aliases of aliases are refused before they fill the memory', () => {
    const levels = ['a', 'b', 'c', 'd', 'e'].map((name, at, all) => {
      const before = at === 0 ? 'x' : `*${all[at - 1] ?? ''}`;
      return `${name}: &${name} [${Array(20).fill(before).join(', ')}]`;
    });
    expect(() => parseBerthFile(levels.join('\n'), 'berth.yml')).toThrow(
      /^berth\.yml: its aliases cannot be resolved/,
    );
  });

  test('services at the top are those of production', () => {
    const { environments } = parseBerthFile('project: a\nservices: { db: { kind: redis } }\n', 'berth.yml');
    expect(environments).toEqual({ production: { services: { db: { kind: 'redis' } } } });
  });
});

describe('of an application', () => {
  const names = Object.keys(applicationSettings);

  test('a setting that its release is made of causes a new one, and no other does', () => {
    const released = new Set<string>([...Object.keys(settingsOf(fresh)), 'buildArgs']);
    // The number of tasks is set at once, and the user goes with a password that no file has.
    const atOnce = new Set(['replicas', 'username']);
    for (const name of names)
      expect([name, causeOf('application', name)]).toEqual([
        name,
        released.has(name) && !atOnce.has(name) ? 'new release' : 'nothing',
      ]);
  });

  test('what a setting is where nobody set it is what a new one has', () => {
    const record: Record<string, unknown> = { ...fresh };
    // Where the source comes from is always written.
    for (const name of names.filter((one) => one !== 'sourceType')) {
      const value = record[name] === false ? null : record[name];
      expect([name, canonical(defaultOf('application', name))]).toEqual([name, canonical(value)]);
    }
  });
});
