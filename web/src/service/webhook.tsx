import type { ReactElement } from 'react';
import { useDo, type Input } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Value } from '../parts/copy.tsx';
import { Fault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { named, procedureOf, type Service } from './service.ts';

/** The address that a git host calls after a push. */
export function Webhook({ service }: { service: Service }): ReactElement | null {
  const { kind, id, application, compose } = service;
  const token = application?.refreshToken ?? compose?.refreshToken ?? '';
  const renew = useDo(procedureOf(kind, 'refreshToken') as 'application.refreshToken');
  if (token.includes('•')) return null;
  return (
    <Panel title="Deploy after a push" isPadded>
      <div className="grid gap-3 text-13">
        <p className="text-muted">
          A git host that calls this address deploys the service. GitHub, GitLab, Bitbucket and Gitea are
          known.
        </p>
        <Value what="webhook address">{`${location.origin}/api/webhook/${kind}/${token}`}</Value>
        <Fault error={renew.error} />
        <div>
          <Button
            isBusy={renew.isPending}
            onClick={() => renew.mutate(named(kind, id) as Input<'application.refreshToken'>)}
          >
            Make a new address
          </Button>
        </div>
      </div>
    </Panel>
  );
}
