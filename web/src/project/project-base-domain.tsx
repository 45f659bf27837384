/** The base domain of a project: the record that it needs, for the machines that its services stand on. */
import type { ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { useAsk, type Answer } from '../live/api.ts';
import { BaseDomainRecord } from '../settings/base-domain-record.tsx';
import { texts } from './texts.ts';

export function ProjectBaseDomain({
  project,
  onDone,
}: {
  project: Answer<'project.one'>;
  onDone: () => void;
}): ReactElement {
  const { projectId } = project;
  const machines = useMachines(projectId);
  return (
    <Form
      of="project.update"
      show={['baseDomain']}
      change={{
        baseDomain: {
          label: 'Base domain of services',
          help: texts.baseDomain,
          example: 'shop.example.com',
          below: ({ baseDomain }) =>
            typeof baseDomain === 'string' && baseDomain !== '' ? (
              <div className="grid gap-2">
                {machines.length > 1 && <p className="text-12 text-muted">{texts.severalMachines}</p>}
                {machines.map(({ serverId, address }) => (
                  <BaseDomainRecord key={serverId} base={baseDomain} serverIp={address} serverId={serverId} />
                ))}
              </div>
            ) : null,
        },
      }}
      fixed={{ projectId }}
      stored={{ ...project }}
      verb="Save"
      onDone={onDone}
      onCancel={onDone}
    />
  );
}

/** The servers of its services; without an id Berth's own machine. */
function useMachines(projectId: string): { serverId: string | null; address?: string | undefined }[] {
  const { data: services } = useAsk('service.all', { projectId });
  const { data: servers } = useAsk('server.all', {}, { retry: false });
  if (!services || !servers) return [];
  const ids = new Set(
    services.flatMap(({ kind, serverId }) =>
      kind === 'application' || kind === 'compose' ? [serverId] : [],
    ),
  );
  if (ids.size === 0) return [{ serverId: null }];
  return [...ids].map((id) => ({
    serverId: id,
    address: servers.find(({ serverId }) => serverId === id)?.ipAddress,
  }));
}
