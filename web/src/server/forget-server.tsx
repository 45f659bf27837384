/** A server that does not come back: its record and those of its services are removed together. */
import { useState, type ReactElement } from 'react';
import { useGo } from '../frame/link.tsx';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';

export function ForgetServer({ server }: { server: { serverId: string; name: string } }): ReactElement {
  const { serverId, name } = server;
  const [isOpen, setOpen] = useState(false);
  const { data: services, error } = useAsk('server.services', { serverId }, { enabled: isOpen });
  const forget = useDo('server.forget');
  const go = useGo();
  return (
    <div className="mt-4 flex flex-wrap items-center gap-4 text-13">
      <p className="flex-1 basis-60 text-muted">
        A server that does not come back is forgotten with its services, without being reached.
      </p>
      <Button look="danger" onClick={() => setOpen(true)}>
        Forget server
      </Button>
      {isOpen && (
        <Confirm
          title={`Forget ${name}?`}
          verb="Forget"
          typed={name}
          onClose={() => setOpen(false)}
          onConfirm={() => forget.mutateAsync({ serverId, name }).then(() => go('/servers'))}
        >
          <p>
            The records of the server and of its services are removed. Backups at destinations stay. Whatever
            still runs on the machine continues, and Berth does not remove it later.
          </p>
          <Fault error={error} />
          {services?.length === 0 && <p>No service stands on it.</p>}
          {services && services.length > 0 && (
            <ul className="max-h-48 list-disc overflow-auto pl-5">
              {services.map((service) => (
                <li key={service.serviceId}>{`${service.name} (${service.kind})`}</li>
              ))}
            </ul>
          )}
        </Confirm>
      )}
    </div>
  );
}
