/** Services on internal networks of their file: which networks of ours they join. */
import { expect, test } from 'vitest';
import { translate } from '../../modules/compose/translation/translate.ts';

const read = (services: string, networks: string) =>
  translate({
    text: `services: ${services}\nnetworks: ${networks}\n`,
    field: 'composeFile',
    folder: undefined,
    variables: {},
    blocks: { project: '', environment: '', service: '' },
  });

test.each<[string, string, string, 'only' | 'also' | undefined]>([
  ['none', '{image: "a:1"}', '{back: {internal: true}}', undefined],
  ['the internal one alone', '{image: "a:1", networks: [back]}', '{back: {internal: true}}', 'only'],
  ['as a map', '{image: "a:1", networks: {back: {aliases: [x]}}}', '{back: {internal: true}}', 'only'],
  ['two of them', '{image: "a:1", networks: [a, b]}', '{a: {internal: true}, b: {internal: true}}', 'only'],
  ['another besides', '{image: "a:1", networks: [front, back]}', '{front: , back: {internal: true}}', 'also'],
  ['one that says no', '{image: "a:1", networks: [back]}', '{back: {internal: false}}', undefined],
  ['the default made internal', '{image: "a:1"}', '{default: {internal: true}}', 'only'],
])('%s', (_what, service, networks, inside) => {
  const { services } = read(`{web: ${service}}`, networks);
  expect(services[0]?.inside).toBe(inside);
});

test('one without a way out publishes nothing, and the log says both', () => {
  const plan = read('{db: {image: "a:1", networks: [back], ports: ["9000:90"]}}', '{back: {internal: true}}');
  expect(plan.services[0]?.ports).toEqual([]);
  expect(plan.notes.join('\n')).toMatch(
    /services\.db is on internal networks only: nothing leads out.*ports are not published/,
  );
});
