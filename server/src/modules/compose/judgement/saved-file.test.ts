import { expect, test } from 'vitest';
import { requireSavable } from './saved-file.ts';

const service = (fields: string, rest = ''): string =>
  `services:\n  web:\n    image: web:1\n    ${fields}\n${rest}`;

test.each<[string, string]>([
  [service('ports: ["80:81:82"]'), 'line 4: services.web.ports.0 must be like 8080:80'],
  [service('volumes: ["data:/data"]'), 'line 4: services.web.volumes.0 names the volume data'],
  [service('restart: sometimes'), 'line 4: services.web.restart must be no, always'],
  [
    service('healthcheck: {test: x, intervall: 5s}'),
    'intervall is not a key that Berth supports. Did you mean interval?',
  ],
  [
    service('logging: {option: {}}'),
    'line 4: services.web.logging.option is not a key that Berth supports. Did you mean options?',
  ],
  [
    service('volumes: [{type: volume, source: d, target: /d, readonly: true}]', 'volumes: {d: }'),
    'services.web.volumes.0.readonly is not a key that Berth supports. Did you mean read_only?',
  ],
  [service('depends_on: {db: {conditon: service_healthy}}'), 'Did you mean condition?'],
  [service('deploy: {resources: {limits: {memroy: 1g}}}'), 'Did you mean memory?'],
  [
    service('', 'volumes: {data: {extern: true}}'),
    'line 5: volumes.data.extern is not a key that Berth supports',
  ],
  [service('', 'networks: {net: {ipam: {config: [{subnett: 10.0.0.0/24}]}}}'), 'Did you mean subnet?'],
  [
    service('devices: ["/dev/dri:/dev/dri"]'),
    'line 4: services.web.devices would give it a device of the server',
  ],
  [service('depends_on: [db]'), 'services.web.depends_on names db'],
  [service('networks: [other]'), 'services.web.networks.other is a network that the file does not define'],
])('%j is refused when it is saved', (text, sentence) =>
  expect(() => requireSavable(text, '')).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringContaining(sentence) }),
  ),
);

test.each([
  [service('ports: ["${PORT}:80"]')],
  [service('command: "${NEEDED:?is not set}"')],
  [service('image2: x').replace('image2: x', '').replace('web:1', '"${IMAGE}"')],
  [service('environment: {A: "${{project.A}}"}')],
  [service('extends: {file: base.yml, service: app}')],
  [`include: [other.yml]\n${service('')}`],
  [service('profiles: [gpu]\n    devices: ["/dev/dri:/dev/dri"]', '  plain: {image: "x:1"}')],
  ['services: {}'],
])('%j may be saved, since a variable or another file decides', (text) => {
  expect(() => requireSavable(text, '')).not.toThrow();
});

test('the variables of the service count', () => {
  expect(() => requireSavable(service('ports: ["${PORT}:80"]'), 'PORT=8080')).not.toThrow();
});
