/** The table of words, in the groups and the order that help lists them. */
import { accountWords, previewsWord } from './account-words.ts';
import { ciWords } from './ci-words.ts';
import { completionWord } from './completion-word.ts';
import { dbWords } from './db-words.ts';
import { deploy } from './deploy.ts';
import { domainWords, openWord } from './domain-words.ts';
import { envWords } from './env-words.ts';
import { logs } from './log-words.ts';
import { serviceWords } from './service-words.ts';
import { statusWords } from './status.ts';
import type { Word } from './word.ts';

export const groups: readonly { title: string; words: readonly Word[] }[] = [
  { title: 'Deploy and look', words: [deploy, ...statusWords, logs, openWord] },
  { title: 'Services', words: serviceWords },
  { title: 'Variables', words: envWords },
  { title: 'Addresses and previews', words: [...domainWords, previewsWord] },
  { title: 'Databases', words: dbWords },
  { title: 'Organization', words: accountWords },
  { title: 'Elsewhere', words: [...ciWords, completionWord(() => words)] },
];

export const words: readonly Word[] = groups.flatMap((group) => group.words);
