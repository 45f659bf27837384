/** The scenarios of the dashboard: each is shown by the tests that are named, in a real browser. */
export interface Scenario {
  number: number;
  what: string;
  /** File, and the beginning of the test's name, of each. */
  shown: readonly (readonly [file: string, test: string])[];
}

const onEngine = 'test/e2e/web.e2e.test.ts';
const jobs = 'test/e2e/web/jobs.ts';
const releases = 'test/e2e/web/releases.ts';

export const scenarios: readonly Scenario[] = [
  {
    number: 1,
    what: 'first user, sign-in, sign-out',
    shown: [['test/web/first-user.interface.test.ts', 'the first visit leads to sign-up']],
  },
  {
    number: 2,
    what: 'guided first deployment answers',
    shown: [['test/e2e/web/first-run.ts', 'a git address becomes an application that answers']],
  },
  {
    number: 3,
    what: 'live stages without reload',
    shown: [['test/e2e/web/first-run.ts', 'a git address becomes an application that answers']],
  },
  {
    number: 4,
    what: 'failed build: reason in the list, log at the line',
    shown: [
      [onEngine, 'a failed build says why in the list'],
      [jobs, '3: why it failed'],
    ],
  },
  {
    number: 5,
    what: 'unhealthy release: up, last failed',
    shown: [[releases, 'a release that never answers leaves the former up']],
  },
  {
    number: 6,
    what: 'rollback under load, no failed request',
    shown: [[jobs, '5: rolled back in two clicks']],
  },
  {
    number: 7,
    what: 'variable saved, deployed, seen in the container',
    shown: [[jobs, '4: a variable is changed by one key']],
  },
  {
    number: 8,
    what: 'foreign change while editing',
    shown: [[releases, 'what somebody else saved meanwhile is shown']],
  },
  {
    number: 9,
    what: 'leaving unsaved asks',
    shown: [[onEngine, 'leaving with an edited variable asks first']],
  },
  {
    number: 10,
    what: 'logs: follow, search, link, download',
    shown: [['test/e2e/web/output.ts', 'logs are followed, searched, linked to and downloaded']],
  },
  {
    number: 11,
    what: 'log of 300,000 lines, a million with --long',
    shown: [['test/web/logs/long-log.interface.test.ts', 'is read to its last line']],
  },
  {
    number: 12,
    what: 'domain: wrong DNS, corrected, issued',
    shown: [['test/e2e/web/domains.ts', 'a name that leads elsewhere says so']],
  },
  {
    number: 13,
    what: 'shell: type, resize, the container ends',
    shown: [
      [onEngine, 'a shell is typed in'],
      [releases, 'a shell follows the size of its window'],
    ],
  },
  {
    number: 14,
    what: 'a Member without the grant sees no shell',
    shown: [[onEngine, 'who is invited joins in a browser of their own']],
  },
  {
    number: 15,
    what: 'backup, restore, former volume',
    shown: [['test/e2e/web/backups.ts', '9: a backup is made and restored']],
  },
  {
    number: 16,
    what: 'invitation in a second browser',
    shown: [[onEngine, 'who is invited joins in a browser of their own']],
  },
  {
    number: 17,
    what: "a Member's Home and events show assigned services alone",
    shown: [['test/e2e/web/sight.ts', "a Member's Home and events tell of assigned services alone"]],
  },
  {
    number: 18,
    what: "a removed Member's streams end",
    shown: [['test/e2e/web/sight.ts', "a Member's Home and events tell of assigned services alone"]],
  },
  {
    number: 19,
    what: 'Berth is killed: the page goes on, nothing is missed',
    shown: [[onEngine, 'after a crash of Berth the page goes on by itself']],
  },
  {
    number: 20,
    what: 'a killed container is shown within 10 s',
    shown: [['test/e2e/web/conditions.ts', 'a killed container is shown within 10 s']],
  },
  {
    number: 21,
    what: '1,000 services: filter, sort, keys',
    shown: [
      ['test/web/thousand.interface.test.ts', 'the filter leaves one of a thousand'],
      ['test/web/thousand.interface.test.ts', 'sorted by name, they are walked by keys'],
    ],
  },
  {
    number: 22,
    what: 'eight tabs over plain http load',
    shown: [['test/web/tabs.interface.test.ts', 'eight tabs load and follow what happens']],
  },
  {
    number: 23,
    what: 'deletion by typed name',
    shown: [[onEngine, 'an application is deleted by typing its name']],
  },
  {
    number: 24,
    what: 'the keyboard alone to deployed',
    shown: [[onEngine, 'the keyboard alone leads to a deployment']],
  },
  { number: 25, what: 'phone: roll back', shown: [[onEngine, 'the keyboard alone leads to a deployment']] },
  {
    number: 26,
    what: 'hostile names and log lines stay text',
    shown: [[onEngine, 'hostile names and log lines stay text']],
  },
];

/** The ten jobs, by number, and the file whose test counts their steps. */
export const countedJobs: Readonly<Record<number, string>> = {
  1: jobs,
  2: jobs,
  3: jobs,
  4: jobs,
  5: jobs,
  6: jobs,
  7: jobs,
  8: jobs,
  9: 'test/e2e/web/backups.ts',
  10: jobs,
};
