import { describe, expect, test } from 'vitest';
import { resolveBlock, resolveEnv } from './env.ts';

const blocks = (project: string, environment = '', service = '') => ({ project, environment, service });

describe('resolveEnv', () => {
  test('the service wins over the environment, the environment over the project', () => {
    expect(resolveEnv(blocks('A=p\nB=p\nC=p', 'B=e\nC=e', 'C=s\nD=s'))).toEqual({
      A: 'p',
      B: 'e',
      C: 's',
      D: 's',
    });
  });

  test('references reach the named block, or the nearest definition', () => {
    expect(
      resolveEnv(
        blocks(
          'HOST=p\nNAME=shop',
          'HOST=e',
          'HOST=s\nA=${{project.HOST}}\nB=${{environment.HOST}}\nC=${{HOST}}\nD=${{ NAME }}-${{C}}',
        ),
      ),
    ).toMatchObject({ A: 'p', B: 'e', C: 's', D: 'shop-s' });
  });

  test('a bare name in an outer block does not see inner blocks', () => {
    expect(resolveEnv(blocks('HOST=p\nURL=http://${{HOST}}', '', 'HOST=s'))).toMatchObject({
      URL: 'http://p',
      HOST: 's',
    });
    expect(() => resolveEnv(blocks('URL=${{ONLY_HERE}}', '', 'ONLY_HERE=1'))).toThrow(
      'project.env: line 1: URL refers to ${{ONLY_HERE}}, which is not defined',
    );
  });

  test('a variable that names itself extends the one it overrides', () => {
    expect(resolveEnv(blocks('FLAGS=-a', 'FLAGS=${{FLAGS}} -b', 'FLAGS=${{FLAGS}} -c'))).toEqual({
      FLAGS: '-a -b -c',
    });
  });

  test('what a reference brings is not looked at again, and $${{ is literal', () => {
    expect(resolveEnv(blocks('A=$${{B}}', '', 'C=${{A}}'))).toEqual({ A: '${{B}}', C: '${{B}}' });
  });

  test('shell text is data', () => {
    expect(resolveEnv(blocks('', '', 'A=$(id) $HOME ${HOME}'))).toEqual({ A: '$(id) $HOME ${HOME}' });
  });

  test.each([
    ['A=1\nB=${{C}}', 'env: line 2: B refers to ${{C}}, which is not defined'],
    [
      'A=${{project.C}}',
      'env: line 1: A refers to ${{project.C}}, which is not defined in the variables of the project',
    ],
    ['A=${{service.C}}', 'env: line 1: A refers to ${{service.C}}'],
    ['A=${{a b}}', 'env: line 1: A has the reference ${{a b}}'],
    ['A=${{}}', 'env: line 1: A has the reference ${{}}'],
    ['A=${{B}}\nB=${{C}}\nC=${{A}}', 'refers to itself in a circle'],
    ['A=${{A}}', 'env: line 1: A refers to ${{A}}, which is not defined'],
    ['no equals', 'env: line 1: has no "="'],
  ])('refuses %j', (service, sentence) =>
    expect(() => resolveEnv(blocks('', '', service))).toThrow(sentence),
  );

  test('a circle through two blocks is seen', () => {
    expect(() => resolveEnv(blocks('A=${{environment.B}}', 'B=${{project.A}}'))).toThrow('in a circle');
  });

  test('a bomb is refused before it grows', () => {
    const lines = [
      'V0=0123456789',
      ...Array.from({ length: 30 }, (_, index) => `V${index + 1}=${`\${{V${index}}}`.repeat(10)}`),
    ];
    expect(() => resolveEnv(blocks('', '', lines.join('\n')))).toThrow('larger than 1 MiB');
  });

  test('a variable is refused that the kernel gives to no program; as a file it is none', () => {
    const large = (length: number): string => `A=1\nLARGE=${'x'.repeat(length)}`;
    const limit = 128 * 1024 - 'LARGE=\0'.length;
    expect(resolveEnv(blocks('', '', large(limit)))['LARGE']).toHaveLength(limit);
    expect(() => resolveEnv(blocks('', '', large(limit + 1)))).toThrow(
      'env: line 2: LARGE is larger than 128 KiB',
    );
    expect(() => resolveBlock('buildArgs', large(limit + 1), blocks(''))).toThrow(
      'buildArgs: line 2: LARGE is larger than 128 KiB',
    );
    expect(resolveBlock('buildSecrets', large(limit + 1), blocks(''), 'files')['LARGE']).toHaveLength(
      limit + 1,
    );
  });

  test('a long chain is refused, not a stack overflow', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `V${index}=\${{V${index + 1}}}`);
    expect(() => resolveEnv(blocks('', '', lines.join('\n')))).toThrow('more than 32 references in a row');
  });
});

test('resolveBlock gives only its own variables and sees all others', () => {
  expect(
    resolveBlock('buildArgs', 'A=${{NAME}}\nB=${{A}}-${{project.NAME}}', blocks('NAME=p', '', 'NAME=s')),
  ).toEqual({ A: 's', B: 's-p' });
  expect(() => resolveBlock('buildArgs', 'A=${{X}}', blocks(''))).toThrow('buildArgs: line 1: A refers to');
});
