/** The table of words, in the groups and the order that help lists them. */
import { accountWords } from './account-words.ts';
import { baseDomainWord } from './base-domain.ts';
import { ciWords } from './ci-words.ts';
import { cleanupWords } from './machines/cleanup-words.ts';
import { clusterWords } from './machines/cluster-words.ts';
import { completionWord } from './completion-word.ts';
import { backupCoverageWord } from './databases/backup-coverage-word.ts';
import { dbWords } from './databases/db-words.ts';
import { destinationKeyWord } from './databases/destination-key-word.ts';
import { deploy } from './deploy.ts';
import { eject } from './eject.ts';
import { domainWords, openWord } from './domain-words.ts';
import { envWords } from './env-words.ts';
import { fileWords } from './file-words.ts';
import { importWord } from './import-words.ts';
import { logs } from './log-words.ts';
import { mcpWord } from './mcp-word.ts';
import { serverAdd, serverForget } from './machines/server-word.ts';
import { forward } from './forward-words.ts';
import { previewWords } from './preview-words.ts';
import { shellWords } from './shell-words.ts';
import { serviceWords } from './service-words.ts';
import { statusWords } from './status.ts';
import { templateWords } from './templates/template-words.ts';
import type { Word } from './parts/word.ts';

export const groups: readonly { title: string; words: readonly Word[] }[] = [
  { title: 'Deploy and look', words: [deploy, eject, ...statusWords, logs, openWord] },
  { title: 'A project as a file', words: [...fileWords, importWord] },
  { title: 'Services', words: [...serviceWords, ...templateWords, ...shellWords, forward] },
  { title: 'Variables', words: envWords },
  { title: 'Addresses and previews', words: [...domainWords, baseDomainWord, ...previewWords] },
  { title: 'Databases', words: [...dbWords, backupCoverageWord, destinationKeyWord] },
  {
    title: 'Organization',
    words: [...accountWords, serverAdd, serverForget, ...clusterWords, ...cleanupWords],
  },
  { title: 'Elsewhere', words: [...ciWords, mcpWord, completionWord(() => words)] },
];

export const words: readonly Word[] = groups.flatMap((group) => group.words);
