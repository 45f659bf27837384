import { expect, it } from 'vitest';
import { inheritedOf, previewOf, replacedBy, type Blocks } from './preview.ts';

const blocks: Blocks = {
  project: 'REGION=eu\nLOG=info\nHOST=db.${{REGION}}',
  environment: 'LOG=debug\nWHERE=${{HOST}}:${{project.LOG}}',
  own: new Map([['PORT', '3000']]),
  secrets: new Set(['TOKEN']),
};

it.each([
  ['${{project.REGION}}-1', 'eu-1', ['the project']],
  ['${{environment.LOG}}', 'debug', ['the environment']],
  ['${{LOG}}', 'debug', ['the environment']],
  ['${{REGION}}', 'eu', ['the project']],
  [':${{PORT}}', ':3000', ['this service']],
  ['${{WHERE}}', 'db.eu:info', ['the environment', 'the project']],
  ['${{TOKEN}}', '${{TOKEN}}', ['a secret']],
  ['${{Shop DB.URL}}?ssl=1', '${{Shop DB.URL}}?ssl=1', ['Shop DB']],
  ['$${{PORT}}', '${{PORT}}', []],
])('%s', (value, text, origins) => {
  expect(previewOf('URL', value, blocks)).toEqual({ text, origins });
});

it('says nothing of a value that refers to nothing', () => {
  expect(previewOf('URL', 'plain $HOME ${X}', blocks)).toBeUndefined();
});

it('a variable that names itself means the one that it replaces; a circle stays as it is written', () => {
  expect(previewOf('LOG', '${{LOG}},sql', { ...blocks, own: new Map([['LOG', '${{LOG}},sql']]) })).toEqual({
    text: 'debug,sql',
    origins: ['the environment'],
  });
  const round = new Map([
    ['A', '${{B}}'],
    ['B', '${{A}}'],
  ]);
  expect(previewOf('A', '${{B}}', { ...blocks, own: round })?.text).toBe('${{A}}');
});

it('what the service gets besides its own, each once, from where it is strongest', () => {
  expect(inheritedOf({ ...blocks, own: new Map([['REGION', 'us']]), secrets: new Set(['HOST']) })).toEqual([
    { name: 'LOG', from: 'environment', text: 'debug', origins: [] },
    {
      name: 'WHERE',
      from: 'environment',
      text: 'db.eu:info',
      origins: ['the project'],
    },
  ]);
  expect(inheritedOf(blocks).map(({ name, from }) => `${name} ${from}`)).toEqual([
    'LOG environment',
    'WHERE environment',
    'REGION project',
    'HOST project',
  ]);
});

it('a variable of the service says whose it replaces', () => {
  expect(['LOG', 'REGION', 'PORT'].map((name) => replacedBy(name, blocks))).toEqual([
    'the environment',
    'the project',
    undefined,
  ]);
});
