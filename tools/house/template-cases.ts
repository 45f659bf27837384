/** Templates that make careless rules slow, as large as their contract lets them be. */
import { templateOf } from '../../server/src/modules/template/format.ts';
import { templateDefinition, type TemplateDefinition } from '../../server/src/modules/template/record.ts';
import { checkGiven, secretNames, valuesOf } from '../../server/src/modules/template/values.ts';

const manyVariables = (of: (at: number) => object): { name: string }[] =>
  Array.from({ length: 300 }, (_, at) => ({ name: `V${at}`, description: '', ...of(at) }));
/** Each names the next one, and the last one is secret. */
const chained = manyVariables((at) =>
  at === 299 ? { secret: true } : { value: `\${V${at + 1}}`.repeat(400) },
);
const grown = manyVariables((at) => ({ value: at === 0 ? 'x'.repeat(9000) : '${V0}'.repeat(50) }));
const definitionOf = (variables: readonly object[]): TemplateDefinition =>
  templateDefinition.parse({
    name: 'app',
    title: 'App',
    description: 'An app.',
    website: 'https://app.example.com',
    firstSignIn: 'Open it.',
    file: 'services: {app: {image: "app:1"}}',
    variables,
  });

export const templateCases: Record<string, () => (() => unknown)[]> = {
  templateOf: () => [() => templateOf(definitionOf(chained))],
  secretNames: () => [() => secretNames(definitionOf(chained).variables)],
  valuesOf: () => [() => valuesOf(definitionOf(grown), {}, new Map(), new Date())],
  checkGiven: () =>
    ['a?'.repeat(70) + 'a'.repeat(70), '.*.*x', '(a+)+b', 'a{0,999}a{0,999}a{0,999}b'].map(
      (pattern) => () => {
        const patterned = manyVariables(() => ({ pattern, message: 'must match' }));
        const template = templateOf(definitionOf(patterned));
        checkGiven(template, Object.fromEntries(patterned.map(({ name }) => [name, 'a'.repeat(3000)])));
      },
    ),
};
