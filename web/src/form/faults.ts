/** What the server refuses, in the words of the screen. */
import { BerthError } from '../../../client/berth-error.ts';
import { labelOf } from './label.ts';

/** Names of the interface → what the screen calls them. */
export type Labels = Readonly<Record<string, string>>;

/** A name of the interface in a sentence: not part of an address, a path or another word. */
const nameInSentence = /(?<![\w./:@$"'-])[a-z]\w*(?![\w/@=-]|[.:]\S)/g;

/** The sentence with what the screen shows in place of the names that fields have in the interface. */
export const inLabels = (sentence: string, labels: Labels): string =>
  sentence.replaceAll(nameInSentence, (name, at: number) => {
    const label = Object.hasOwn(labels, name) ? (labels[name] ?? name) : name;
    if (label.toLowerCase().includes(name.toLowerCase())) return name;
    const isBeginning = at === 0 || /[.?!] $/.test(sentence.slice(0, at));
    return isBeginning || /^.[A-Z]/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
  });

/** What the server found wrong, by field and by part of a field, in the words of the screen. */
export function faultsOf(error: unknown, labels: Labels = {}): Record<string, string> {
  if (!(error instanceof BerthError)) return {};
  return Object.fromEntries(
    error.issues.flatMap(({ path, message }) => {
      const [field = '', ...rest] = path.split('.');
      const part = [field, ...rest.slice(0, 1)].join('.');
      const said = /^[a-z]/.test(message)
        ? `${labels[part] ?? labels[field] ?? labelOf(lastName(path))} ${inLabels(message, labels)}.`
        : inLabels(message, labels);
      return [
        [field, said],
        [part, said],
      ];
    }),
  );
}

const lastName = (path: string): string => path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? '';
