/** What a person might type from the first sign-in on, each word at least once. */
import { controlC, type Reply } from '../../terminal.ts';

export interface Line {
  line: string;
  replies?: readonly Reply[];
  /** Exit code; 0 without it. */
  ends?: number;
}

/** Group → lines. */
export type Session = readonly (readonly [string, readonly Line[]])[];

/** `url`: of Berth; `email` and `password`: of its owner; `paris`: address of a server of that name. */
export const sessionOf = ({
  url,
  email,
  password,
  paris,
}: Record<'url' | 'email' | 'password' | 'paris', string>): Session => [
  [
    'From a folder to an address',
    [
      { line: `berth login --url ${url} --email ${email}`, replies: [[/Password:$/, password]] },
      { line: 'ls' },
      {
        line: 'berth deploy',
        replies: [[/Name of the service \[web\]$/, 'shop/web']],
      },
      { line: 'berth env set COLOR=blue' },
      { line: 'berth deploy' },
      { line: `mkdir ../plain && echo '{"scripts":{"start":"node a.js"}}' > ../plain/package.json` },
      { line: 'berth eject --folder ../plain' },
    ],
  ],
  [
    'Databases',
    [
      { line: 'berth db create postgres shop/db --image berth/postgres:15' },
      { line: 'berth db create postgres shop/db', ends: 2 },
      {
        line: 'berth db connect shop/db',
        replies: [
          [/db=[#>]$/, 'create table notes as select 1 as id;'],
          [/SELECT 1\s+db=[#>]$/, '\\q'],
        ],
      },
      { line: 'berth db query shop/db "select id from notes"' },
      { line: 'berth db statements shop/db' },
      { line: 'berth db backup shop/db --to nightly' },
      { line: 'berth db backups shop/db' },
      { line: 'berth backup coverage' },
      { line: 'berth destination key nowhere', ends: 2 },
      { line: 'berth db cancel shop/db' },
      { line: 'berth db create postgres shop/copy --image berth/postgres:15' },
      {
        line: 'berth db copy shop/copy --from "$(berth db connect shop/db --print --table)"',
        replies: [[/\(yes\/no\) \[no\]$/, 'yes']],
      },
      { line: 'berth db restore shop/db', replies: [[/\(yes\/no\) \[no\]$/, 'yes']] },
      { line: 'berth db undo shop/db', replies: [[/\(yes\/no\) \[no\]$/, 'yes']] },
      // It is off, no moment is named, and no name.
      { line: 'berth db recovery shop/db', ends: 2 },
      { line: 'berth db restore-at shop/db', ends: 2 },
      { line: 'berth db branch shop/db', ends: 2 },
    ],
  ],
  [
    'Look',
    [
      { line: 'berth status' },
      { line: 'berth ps' },
      { line: 'berth history' },
      { line: 'berth logs --tail 3' },
      { line: 'berth logs shop/web shop/db --tail 4 --grep listening' },
      { line: 'berth logs -f --since 1h', replies: [[/listening as/, controlC]], ends: 130 },
      { line: 'berth open --print' },
    ],
  ],
  [
    'Services',
    [
      { line: 'berth redeploy' },
      { line: 'berth rollback' },
      { line: 'berth restart' },
      { line: 'berth stop' },
      { line: 'berth start' },
      { line: 'berth scale 2' },
      { line: 'berth move --to rome', ends: 2 },
      { line: 'berth run -- node --version' },
      { line: 'berth exec -- node --print "process.env.COLOR"' },
      { line: 'berth shell', replies: [[/#$/, 'exit 3']], ends: 3 },
      { line: 'berth forward shop/db 5432 --local 0', replies: [[/until ctrl-C/, controlC]] },
    ],
  ],
  [
    'Variables',
    [
      { line: 'berth env get' },
      { line: 'berth env get COLOR' },
      { line: 'berth env set COLOR=green REGION=eu --restart' },
      { line: 'berth env unset REGION' },
      { line: 'berth env diff', ends: 1 },
      { line: 'berth env import' },
      { line: 'EDITOR="sed -i s/red/blue/" berth env edit' },
      { line: 'berth secret set STRIPE_KEY', replies: [[/STRIPE_KEY:$/, 'sk_live_1']] },
    ],
  ],
  [
    'A project as a file',
    [
      { line: 'berth export shop --output berth.yml' },
      { line: 'sed -i "s/replicas: 2/replicas: 1/" berth.yml' },
      { line: 'berth plan' },
      { line: 'berth apply', replies: [[/\(yes\/no\) \[no\]$/, 'yes']] },
      { line: 'berth plan --check' },
      { line: 'berth import compose old.yml --output moved.yml' },
      { line: 'berth import compose old.yml --check' },
      {
        line: 'mkdir catalogue && cp old.yml catalogue/ && sed -i "1i # slogan: A cache." catalogue/old.yml',
      },
      { line: 'berth import templates catalogue' },
      { line: 'berth templates' },
      { line: 'berth template create ./templates/none shop/none', ends: 2 },
      { line: 'berth template catalogues' },
      { line: 'berth template catalogue add Etc /etc', ends: 1 },
      { line: 'berth template catalogue refresh none', ends: 2 },
      { line: 'berth template catalogue remove none', ends: 2 },
      { line: 'berth template updates' },
      { line: 'berth template update shop/web' },
    ],
  ],
  [
    'Addresses and previews',
    [
      { line: 'berth domains' },
      { line: 'berth domains add shop.example.com --http' },
      { line: 'berth domains check shop.example.com', ends: 1 },
      { line: 'berth domains records shop.example.com', ends: 1 },
      { line: 'berth base-domain apps.localhost --project shop' },
      { line: 'berth base-domain --project shop --none' },
      { line: 'berth base-domain' },
      { line: 'berth previews' },
      { line: 'berth preview databases' },
      // It is an upload.
      { line: 'berth preview create qa --branch main', ends: 1 },
      { line: 'berth preview remove qa', ends: 2 },
      { line: 'berth preview waiting' },
      { line: 'berth preview approve 12 --commit da15608', ends: 2 },
    ],
  ],
  [
    'Organization',
    [
      { line: 'berth whoami' },
      { line: 'berth use shop' },
      { line: 'berth link db' },
      { line: 'berth link web' },
      { line: 'berth projects' },
      { line: 'berth members' },
    ],
  ],
  [
    'Servers',
    [
      { line: 'berth servers' },
      { line: 'berth server add 203.0.113.99 --name rome', replies: [[/\[Enter\]$/, '']], ends: 1 },
      { line: 'berth server forget rome --yes' },
      { line: `berth server add ${paris}` },
      { line: 'berth cluster nodes paris' },
      { line: 'berth cluster join london --to paris' },
      { line: 'berth cluster nodes paris' },
      { line: 'berth cluster promote london' },
      { line: 'berth cluster drain london' },
      { line: 'berth cluster activate london' },
      { line: 'berth cluster demote london' },
      { line: 'berth cluster remove london', ends: 1 },
      { line: 'berth cluster leave london' },
      { line: 'berth cleanup unknown' },
      { line: 'berth cleanup unfinished' },
      { line: 'berth cleanup remove nothing --yes', ends: 1 },
      { line: 'berth cleanup others --server paris' },
      { line: 'berth cleanup give-up none --yes' },
      { line: 'berth cleanup volumes' },
      { line: 'berth cleanup remove-volume nothing --yes', ends: 1 },
      { line: 'berth cleanup use-volume nothing shop/web --as data --yes', ends: 1 },
    ],
  ],
  [
    'Elsewhere',
    [
      { line: 'berth ci setup github', ends: 2 },
      { line: 'berth ci setup github --runner-url https://berth.example.com' },
      { line: 'berth ci setup gitlab --runner-url https://berth.example.com' },
      { line: 'berth mcp < /dev/null' },
      { line: 'berth completion bash | head -4' },
      { line: 'berth stauts', ends: 2 },
      { line: 'berth logs shop/wbe', ends: 2 },
      { line: 'berth help scale' },
      { line: 'berth help deploy' },
      { line: 'berth --version' },
      { line: 'berth logout' },
    ],
  ],
];
