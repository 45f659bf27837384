/** Pull requests of forks whose newest commit gets a preview once somebody has read and approved it. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { useAsk, type Answer } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';

type Waiting = Answer<'previewDeployment.waiting'>[number];
type Of = { applicationId: string } | { composeId: string };

/** Nothing where none waits. */
export function WaitingPullRequests({ of }: { of: Of }): ReactElement | null {
  const { data } = useAsk('previewDeployment.waiting', of);
  const [read, setRead] = useState<Waiting | undefined>();
  if (!data || data.length === 0) return null;
  return (
    <Panel
      title="Waiting for approval"
      about="Their code runs on your server once you approve it. Read the commit at the git host first."
    >
      <ul className="rows text-13">
        {data.map((waiting) => (
          <li
            key={waiting.pullRequestNumber}
            className={
              'flex min-h-(--row) flex-wrap items-center gap-x-4 gap-y-1 py-1 pr-2 pl-4 sm:flex-nowrap'
            }
          >
            <span className="min-w-0 max-sm:basis-full sm:flex sm:flex-1 sm:gap-2" title={waiting.reason}>
              <span className="cut block">
                <b className="font-medium">#{waiting.pullRequestNumber}</b> {waiting.title}
              </span>
              <span className="block text-faint [overflow-wrap:anywhere] sm:shrink-0">
                {waiting.author}, <Ago at={waiting.heldAt} />
              </span>
            </span>
            <code className="text-12 text-faint">{waiting.commit.slice(0, 7)}</code>
            <Button small onClick={() => setRead(waiting)}>
              Approve
            </Button>
          </li>
        ))}
      </ul>
      {read && <Approve of={of} waiting={read} onClose={() => setRead(undefined)} />}
    </Panel>
  );
}

function Approve({ of, waiting, onClose }: { of: Of; waiting: Waiting; onClose: () => void }): ReactElement {
  const { pullRequestNumber, title, author, repository, commit } = waiting;
  return (
    <Dialog title={`Approve #${pullRequestNumber}?`} onClose={onClose}>
      <p className="mb-2 text-13">
        “{title}” by {author}, for {repository}. Only the commit <code>{commit.slice(0, 12)}</code> gets a
        preview; the next push waits for an approval of its own.
      </p>
      <Form
        of="previewDeployment.approve"
        show={['withVariables']}
        change={{
          withVariables: {
            label: 'With the variables of previews',
            help: 'Its code can read them. Without, it gets no variables, secrets and files.',
          },
        }}
        fixed={{ ...of, pullRequestNumber, commit }}
        verb="Approve this commit"
        onDone={onClose}
        onCancel={onClose}
      />
    </Dialog>
  );
}
