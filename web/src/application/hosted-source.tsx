/** A repository at a git host: connection, then repository and branch from lists that are searched. */
import { useId, useState, type FormEvent, type ReactElement } from 'react';
import { editedSince } from '../form/edits.ts';
import { useUnsaved } from '../form/save-bar.tsx';
import { Go } from '../frame/link.tsx';
import { sentenceOf, useAsk, useDo, type Input } from '../live/api.ts';
import { Combo } from '../parts/combo.tsx';
import { Fault } from '../parts/notices.tsx';
import type { Application } from '../service/service.ts';

export const hosted = {
  github: 'application.saveGithubProvider',
  gitlab: 'application.saveGitlabProvider',
  bitbucket: 'application.saveBitbucketProvider',
  gitea: 'application.saveGiteaProvider',
} as const;
export type HostName = keyof typeof hosted;

export function HostedSource({
  application,
  host,
  onDiscard,
}: {
  application: Application;
  host: HostName;
  /** Nothing is to be saved after all. */
  onDiscard: () => void;
}): ReactElement {
  const { data: all = [] } = useAsk('gitProvider.all', {}, { retry: false });
  const providers = all.filter(({ provider }) => provider === host);
  const isStored = application.sourceType === host;
  const [edited, edit] = useState<Partial<Choice>>({});
  const stored: Choice = isStored ? storedIn(application) : { ...nothing };
  const choice: Choice = {
    ...stored,
    connection: stored.connection || (providers[0]?.gitProviderId ?? ''),
    ...edited,
  };
  const { connection, repository, branch, folder } = choice;
  const repositories = useAsk(
    'gitProvider.repositories',
    { gitProviderId: connection },
    { enabled: connection !== '', retry: false },
  );
  const listed = repositories.data?.find(({ fullName }) => fullName === repository);
  const branches = useAsk(
    'gitProvider.branches',
    { gitProviderId: connection, repository },
    { enabled: connection !== '' && listed !== undefined, retry: false },
  );
  const save = useDo(hosted[host]);
  /** Whether somebody tried to save without a repository. */
  const [isChoosing, setChoosing] = useState(false);
  const set = (change: Partial<Choice>): void => edit({ ...edited, ...change });
  const store = async (): Promise<boolean> => {
    setChoosing(!repository.includes('/'));
    if (!repository.includes('/')) return false;
    const at = repository.lastIndexOf('/');
    try {
      await save.mutateAsync({
        applicationId: application.applicationId,
        owner: repository.slice(0, Math.max(0, at)),
        repository: repository.slice(at + 1),
        branch: branch || (listed?.defaultBranch ?? 'main'),
        buildPath: folder || '/',
        githubId: connection || null,
      } as Input<(typeof hosted)[HostName]>);
    } catch {
      // Its sentence stands below the fields.
      return false;
    }
    edit((former) => editedSince(former, edited));
    return true;
  };
  useUnsaved(
    useId(),
    isStored && Object.keys(edited).length === 0
      ? undefined
      : {
          changed: [{ name: hosted[host], label: `Source (${hostWords[host]})` }],
          isBusy: save.isPending,
          save: store,
          discard: () => {
            edit({});
            setChoosing(false);
            onDiscard();
          },
        },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void store();
  };
  return (
    <form
      className="grid gap-4"
      data-form={hosted[host]}
      data-stored={isStored || undefined}
      onSubmit={submit}
    >
      <div className="field" data-field="connection">
        <label htmlFor="source-connection">Connection</label>
        <select
          id="source-connection"
          className="input"
          value={connection}
          onChange={(event) => set({ connection: event.target.value, repository: '', branch: '' })}
        >
          <option value="">None: the repository is public</option>
          {providers.map(({ gitProviderId, name }) => (
            <option key={gitProviderId} value={gitProviderId}>
              {name}
            </option>
          ))}
        </select>
        {providers.length === 0 && (
          <p className="help">
            Private repositories need one:{' '}
            <Go to="/settings/git" className="underline">
              connect {hostWords[host]}
            </Go>
            .
          </p>
        )}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Combo
          name="repository"
          label="Repository"
          placeholder="such as acme/shop"
          value={repository}
          options={repositories.data?.map(({ fullName }) => fullName) ?? []}
          isLoading={repositories.isFetching && connection !== ''}
          help={repositories.error ? sentenceOf(repositories.error) : undefined}
          onChange={(value) => set({ repository: value, branch: '' })}
        />
        <Combo
          name="branch"
          label="Branch"
          placeholder={listed?.defaultBranch ?? 'main'}
          value={branch}
          options={branches.data ?? []}
          isLoading={branches.isFetching && listed !== undefined}
          help={branches.error ? sentenceOf(branches.error) : undefined}
          onChange={(value) => set({ branch: value })}
        />
      </div>
      <div className="field" data-field="buildPath">
        <label htmlFor="source-folder">Folder</label>
        <input
          id="source-folder"
          className="input"
          placeholder="/"
          spellCheck={false}
          value={folder}
          onChange={(event) => set({ folder: event.target.value })}
        />
        <p className="help">Of a monorepo: the folder that is built. Empty: the whole repository.</p>
      </div>
      {isChoosing && <Fault error="Choose a repository, or give its owner and name: acme/shop." />}
      <Fault error={save.error} />
    </form>
  );
}

interface Choice {
  /** Id of a git provider; empty for none. */
  connection: string;
  /** Its full name. */
  repository: string;
  branch: string;
  folder: string;
}

const nothing: Choice = { connection: '', repository: '', branch: '', folder: '' };

const storedIn = ({ githubId, owner, repository, branch, buildPath }: Application): Choice => ({
  connection: githubId ?? '',
  repository: owner && repository ? `${owner}/${repository}` : '',
  branch: branch ?? '',
  folder: buildPath ?? '',
});

const hostWords: Record<HostName, string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  bitbucket: 'Bitbucket',
  gitea: 'Gitea',
};
